"""Captures of real training state beside torch.save, digests and zipnn, in one run.

    store_bench.py --store-bench PATH [--state FILE] [--zipnn PYTHON] [--rounds 7] [--work DIR]

--state: a checkpoint of torch.save; without it python/examples/char_transformer.py is trained for
300 steps of AdamW. --zipnn: a Python that has zipnn and torch; without it the codec is not
compared. Times are medians of --rounds rounds in which all take turns, in rotated order; what a
round wrote is deleted before the next. The restored bytes of a capture are compared in the same
run. One JSON line a measure; ends with 1 when one misses its bar.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAINER = Path(__file__).resolve().parents[2] / "python/examples/char_transformer.py"

# Written as a program of its own, for another interpreter.
ZIPNN = """
import json, sys, time, torch
from zipnn import ZipNN
state = []
def walk(value):
    if isinstance(value, torch.Tensor):
        if value.dtype == torch.float32 and value.numel() >= 16384:
            state.append(bytearray(value.contiguous().flatten().view(torch.uint8).numpy().tobytes()))
    elif isinstance(value, dict):
        for part in value.values(): walk(part)
    elif isinstance(value, (list, tuple)):
        for part in value: walk(part)
walk(torch.load(sys.argv[1], weights_only=False))
for line in sys.stdin:
    began, cpu, stored = time.perf_counter(), time.process_time(), 0
    for data in state:
        packer = ZipNN(method="huffman", bytearray_dtype="float32", threads=2)
        stored += len(packer.compress(data))
    print(json.dumps({"wall": time.perf_counter() - began, "cpu": time.process_time() - cpu,
                      "bytes": sum(map(len, state)), "written": stored}), flush=True)
"""


class Server:
    """A child that answers each line of its input with one JSON object."""

    def __init__(self, *argv):
        self.child = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, command):
        self.child.stdin.write(command + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            sys.exit(f"{command}: no answer from {self.child.args[0]}")
        return json.loads(line)

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def train(folder):
    options = ["--width", "512", "--blocks", "6", "--steps", "300", "--save-every", "1000"]
    command = [sys.executable, str(TRAINER), "--out", str(folder), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "final.pt"


def saved(state, path):
    """torch.save and fsync, to a file that was not there."""
    import torch

    path.unlink(missing_ok=True)
    began, cpu = time.perf_counter(), time.process_time()
    with path.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    return {
        "wall": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "written": path.stat().st_size,
    }


class Bench:
    def __init__(self, options, folder):
        import torch

        state = options.state or train(folder)
        self.state = torch.load(state, weights_only=False)
        self.server = Server(options.store_bench, str(state), str(folder / "store"))
        self.peer = Server(options.zipnn, "-c", ZIPNN, str(state)) if options.zipnn else None
        self.saved = folder / "saved.pt"
        self.answers = {}
        self.wrong = 0

    def ours(self, command):
        return self.server.ask(command)

    def turn(self, name):
        if name == "torch.save":
            answer = saved(self.state, self.saved)
        elif name == "zipnn":
            answer = self.peer.ask("go")
        elif name == "planes":
            # What hangs on this capture follows it at once.
            answer = self.ours("planes")
            self.note("restore", self.ours("restore"))
            self.note("unchanged", self.ours("unchanged"))
            self.note("diff", self.ours("diff"))
        else:
            answer = self.ours(name)
        self.note(name, answer)

    def note(self, name, answer):
        self.answers.setdefault(name, []).append(answer)
        if name in ("restore", "unchanged", "diff"):
            self.wrong += answer["written"]

    def rounds(self, count):
        names = ["torch.save", "digest", "raw", "planes", "codec", "diff_equal"]
        if self.peer:
            names.append("zipnn")
        for number in range(count):
            at = number % len(names)
            for name in names[at:] + names[:at]:
                self.turn(name)
        self.server.close()
        if self.peer:
            self.peer.close()

    def median(self, name, key="wall"):
        return statistics.median(answer[key] for answer in self.answers[name])

    def line(self, name, ours, peer, ratio, bar, good):
        extra = [answer.get("peak_extra_kib", 0) for answer in self.answers[ours]]
        text = {
            "name": name,
            "ours": round(self.median(ours), 6),
            "peer": round(self.median(peer), 6),
            "ratio": round(ratio, 4),
            "wall": round(self.median(ours), 6),
            "cpu": round(self.median(ours, "cpu"), 6),
            "peak_memory": max(extra) * 1024,
            "bytes": int(self.median(ours, "written")),
            "bar": bar,
            "good": bool(good and self.wrong == 0),
        }
        print(json.dumps(text), flush=True)
        return text["good"]

    def time_ratio(self, ours, peer):
        return self.median(ours) / self.median(peer)

    def report(self):
        size = self.answers["planes"][0]["bytes"]
        share = self.median("planes", "written") / size
        raw = self.time_ratio("raw", "torch.save")
        planes = self.time_ratio("planes", "torch.save")
        unchanged = self.time_ratio("unchanged", "digest")
        diff = self.time_ratio("diff_equal", "diff")
        good = self.line("capture_raw/torch.save+fsync", "raw", "torch.save", raw, 0.6, raw <= 0.6)
        good &= self.line(
            "capture_planes/torch.save+fsync",
            "planes",
            "torch.save",
            planes,
            f"0.8 with 0.82 of the bytes, here {share:.4f}",
            planes <= 0.8 and share <= 0.82,
        )
        good &= self.line(
            "capture_unchanged/digest", "unchanged", "digest", unchanged, 1.5, unchanged <= 1.5
        )
        good &= self.line("diff_manifest/diff_equal", "diff", "diff_equal", diff, 100, diff >= 100)
        if self.peer:
            good &= self.codec()
        return good

    def codec(self):
        def rate(name):
            return self.median(name, "bytes") / self.median(name)

        def kept(name):
            return self.median(name, "written") / self.median(name, "bytes")

        speed, shrink = rate("codec") / rate("zipnn"), kept("zipnn") / kept("codec")
        bar = f"3 at 0.99 of its ratio, here {shrink:.4f}"
        return self.line("codec/zipnn", "codec", "zipnn", speed, bar, speed >= 3 and shrink >= 0.99)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store-bench", required=True)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--zipnn")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        bench = Bench(options, Path(folder))
        bench.rounds(options.rounds)
        good = bench.report()
    load = os.getloadavg()[0]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps({"name": "machine", "load": load, "children_peak_kib": peak}))
    if bench.wrong:
        print("a capture was not restored as it was, or not equal to its twin", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
