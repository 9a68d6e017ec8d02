"""Captures of real training state beside torch.save, digests and zipnn, in one run.

    store_bench.py --store-bench PATH [--samestep PATH] [--state FILE] [--zipnn PYTHON] [--rounds 7]
                   [--mib 1039] [--work DIR]

--state: a checkpoint of torch.save; without it python/examples/char_transformer.py is trained for
300 steps of AdamW, once: the state is kept in --work, by default a folder beside store_bench.
--zipnn: a Python that has zipnn and torch; without it the codec is not compared. --mib: size of the
AdamW state (random numbers) whose two captures are compared by their manifests, and whose two
torch.save files are compared by their data; --samestep: the same as two commands, start of the
process and all.

Times are medians of --rounds rounds in which all take turns, in rotated order; what a round wrote
is deleted before the next; rounds that others disturbed are made anew, as often as there are
rounds. The restored bytes of a capture are compared in the same run. One JSON line a measure; ends
with 1 when one misses its bar.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch
from rounds import quiet_rounds

TRAINER = Path(__file__).resolve().parents[2] / "python/examples/char_transformer.py"
# The kernel writes what was captured in threads that are nobody's.
OTHERS_CORES_MAX = 0.3
TENSORS = ((4096, 347), (256, 258), (512,))  # shapes of a third of the parameters each

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
    copies = [bytearray(data) for data in state]  # it may write into what it is given
    began, cpu, stored = time.perf_counter(), time.process_time(), 0
    for data in copies:
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


def trained(folder):
    state = folder / "trained" / "final.pt"
    if not state.exists():
        options = ["--width", "512", "--blocks", "6", "--steps", "300", "--save-every", "1000"]
        command = [sys.executable, str(TRAINER), "--out", str(state.parent), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return state


def adamw_state(mib):
    """A model and its optimizer of `mib` MiB in 549 tensors, as torch.save is given them."""
    elements = sum(torch.Size(shape).numel() for shape in TENSORS)
    scale = (mib * 2**20 / (4 * 183 * elements)) if mib else 1
    shapes = [(max(int(s[0] * scale), 1), *s[1:]) for _ in range(61) for s in TENSORS]
    model = {f"layers.{i}.weight": torch.randn(shape) for i, shape in enumerate(shapes)}
    slots = {
        i: {
            "step": torch.tensor(100.0),
            "exp_avg": torch.randn(shape),
            "exp_avg_sq": torch.rand(shape),
        }
        for i, shape in enumerate(shapes)
    }
    groups = [{"lr": 1e-3, "betas": (0.9, 0.999), "params": list(range(len(shapes)))}]
    return {"model": model, "optimizer": {"state": slots, "param_groups": groups}}


def saved(state, path):
    """torch.save and fsync, to a file that was not there."""
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


def command_time(*argv):
    began = time.perf_counter()
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, check=False)
    return {"wall": time.perf_counter() - began, "cpu": 0, "written": done.returncode}


class Answers:
    """What the rounds of one set of contestants gave."""

    def __init__(self, contestants, count, servers):
        pids = [server.child.pid for server in servers]
        self.rounds, self.disturbed = quiet_rounds(contestants, count, pids, OTHERS_CORES_MAX)

    def of(self, name, key):
        return [answers[name].get(key, 0) for answers in self.rounds]

    def median(self, name, key="wall"):
        return statistics.median(self.of(name, key))

    def ratio(self, ours, peer):
        return self.median(ours) / self.median(peer)

    def report(self, name, ours, peer, ratio, bar, good):
        """One line; `good` None: a figure without a bar."""
        line = {
            "name": name,
            "ours": round(self.median(ours), 6),
            "peer": round(self.median(peer), 6),
            "ratio": round(ratio, 4),
            "wall": round(self.median(ours), 6),
            "cpu": round(self.median(ours, "cpu"), 6),
            "peak_memory": max(self.of(ours, "peak_extra_kib")) * 1024,
            "bytes": int(self.median(ours, "written")),
            "rounds": len(self.rounds),
            "disturbed": self.disturbed,
            "load": os.getloadavg()[0],
            "bar": bar,
            "good": good,
        }
        print(json.dumps(line), flush=True)
        return good is not False


def measure_captures(options, folder):
    path = options.state or trained(folder)
    state = torch.load(path, weights_only=False)
    ours = Server(options.store_bench, str(path), str(path), str(folder / "store"))
    peer = Server(options.zipnn, "-c", ZIPNN, str(path)) if options.zipnn else None
    wrong = []

    def planes():
        # What hangs on this capture follows it at once.
        answer = ours.ask("planes")
        for name in ("restore", "unchanged", "diff"):
            answer[name] = ours.ask(name)
            wrong.extend([name] if answer[name]["written"] else [])
        return answer

    contestants = {
        "torch.save": lambda: saved(state, folder / "saved.pt"),
        "digest": lambda: ours.ask("digest"),
        "raw": lambda: ours.ask("raw"),
        "planes": planes,
        "codec": lambda: ours.ask("codec"),
        **({"zipnn": lambda: peer.ask("go")} if peer else {}),
    }
    servers = [server for server in (ours, peer) if server]
    answers = Answers(contestants, options.rounds, servers)
    for server in servers:
        server.close()
    for each in answers.rounds:
        each["unchanged"] = each["planes"]["unchanged"]
    return report_captures(answers, bool(peer)) and not wrong


def report_captures(answers, has_peer):
    share = answers.median("planes", "written") / answers.median("planes", "bytes")
    raw, planes = answers.ratio("raw", "torch.save"), answers.ratio("planes", "torch.save")
    unchanged = answers.ratio("unchanged", "digest")
    good = answers.report("capture_raw/torch.save+fsync", "raw", "torch.save", raw, 0.6, raw <= 0.6)
    good &= answers.report(
        "capture_planes/torch.save+fsync",
        "planes",
        "torch.save",
        planes,
        f"0.8 with 0.82 of the bytes, here {share:.4f}",
        planes <= 0.8 and share <= 0.82,
    )
    good &= answers.report(
        "capture_unchanged/digest", "unchanged", "digest", unchanged, 1.5, unchanged <= 1.5
    )
    if not has_peer:
        print(json.dumps({"name": "codec/zipnn", "skipped": "no --zipnn: a Python that has it"}))
        return good

    def speed(name):
        return answers.median(name, "bytes") / answers.median(name)

    def kept(name):
        return answers.median(name, "bytes") / answers.median(name, "written")

    ratio, shrink = speed("codec") / speed("zipnn"), kept("codec") / kept("zipnn")
    bar = f"3 at 0.99 of its ratio, here {shrink:.4f}"
    good &= answers.report(
        "codec/zipnn", "codec", "zipnn", ratio, bar, ratio >= 3 and shrink >= 0.99
    )
    return good


def measure_diffs(options, folder):
    """Two captures by their manifests beside two files by their data, of the same state."""
    files = [folder / "a.pt", folder / "b.pt"]
    saved(adamw_state(options.mib), files[0])
    shutil.copyfile(*files)
    store = folder / "large"
    ours = Server(options.store_bench, *map(str, files), str(store))
    ours.ask("raw")
    ours.ask("unchanged")
    wrong = []

    def checked(answer):
        wrong.extend(["diff"] if answer["written"] else [])
        return answer

    contestants = {
        "diff": lambda: checked(ours.ask("diff")),
        "diff_equal": lambda: checked(ours.ask("diff_equal")),
    }
    if options.samestep:
        captures = [store / ".samestep/captures" / step for step in "12"]
        contestants["command"] = lambda: checked(command_time(options.samestep, "diff", *captures))
        contestants["command_equal"] = lambda: checked(
            command_time(options.samestep, "diff", *files)
        )
    answers = Answers(contestants, options.rounds, [ours])
    ours.close()
    speed = answers.ratio("diff_equal", "diff")
    good = answers.report(
        "diff_manifest/diff_equal", "diff", "diff_equal", speed, 100, speed >= 100
    )
    if options.samestep:
        speed = answers.ratio("command_equal", "command")
        answers.report(
            "diff_manifest_command/diff_equal_command",
            "command",
            "command_equal",
            speed,
            None,
            None,
        )
    return good and not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store-bench", required=True)
    parser.add_argument("--samestep")
    parser.add_argument("--state", type=Path)
    parser.add_argument("--zipnn")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--mib", type=int, default=1039)
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    folder = options.work or Path(options.store_bench).resolve().parent / "work"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        good = measure_captures(options, folder)
        good = measure_diffs(options, folder) and good
    finally:
        for name in ("store", "large"):
            shutil.rmtree(folder / name, ignore_errors=True)
        for name in ("saved.pt", "a.pt", "b.pt"):
            (folder / name).unlink(missing_ok=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
