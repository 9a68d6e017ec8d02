"""inspect, verify and diff of large checkpoints, beside what they are measured against, in one run.

    checkpoint_speed.py [--samestep PATH] [--gib 4] [--work DIR]

inspect: of a checkpoint of --gib GiB, warm: under 100 ms and 64 MiB. verify: at least 0.9 of
the rate at which one sequential reader a core reads the same file, read into the page cache as
any later reader has it; verify_written is the same of the pages that its writer left there, which
are smaller ones and cost more to map (no bound). diff: of two equal checkpoints a
quarter as large, at least 5 times as fast as torch.load of both and torch.equal on each leaf, and
at most 100 MiB beside mapped pages (RssAnon); of two that differ in one bit, the field, the byte,
the element, both values and their distance. Times are medians; files are warm; ours and its peer
take turns.
"""

import argparse
import json
import mmap
import multiprocessing
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BUFFER = 1 << 20


class Run:
    """A command: exit code, wall time, peak memory, and the part of it that is not file pages."""

    def __init__(self, *argv):
        started = time.perf_counter()
        child = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
        self.anonymous_mib = 0.0
        watcher = threading.Thread(target=self.watch, args=(child.pid,))
        watcher.start()
        _, status, usage = os.wait4(child.pid, 0)
        self.seconds = time.perf_counter() - started
        child.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.peak_mib = usage.ru_maxrss / 1024
        watcher.join()

    def watch(self, pid):
        while True:
            try:
                text = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                return
            for line in text.splitlines():
                if line.startswith("RssAnon:"):
                    self.anonymous_mib = max(self.anonymous_mib, int(line.split()[1]) / 1024)
            time.sleep(0.002)


class Runs:
    """Runs of one command: the median time, the worst memory, one exit code."""

    def __init__(self, runs):
        self.seconds = statistics.median(run.seconds for run in runs)
        self.cpu_seconds = statistics.median(run.cpu_seconds for run in runs)
        self.peak_mib = max(run.peak_mib for run in runs)
        self.anonymous_mib = max(run.anonymous_mib for run in runs)
        self.code = max(run.code for run in runs)


def repeated(count, argv):
    return Runs([Run(*argv) for _ in range(count)])


def in_turns(count, ours, peer):
    """`count` results of each, one of ours after one of the peer's."""
    pairs = [(ours(), peer()) for _ in range(count)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def elsewhere(function, *args):
    """Calls it in a process of its own. What needs torch runs there: a child of a process that is
    large begins its life, by its parent's pages, with a large peak."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, args)


def write_checkpoint(path, gib):
    import torch

    torch.manual_seed(0)
    tensors = max(int(gib * 256 / 3), 1)  # 4 MiB each
    weights = {f"layers.{i}.weight": torch.randn(1024, 1024) for i in range(tensors)}
    moments = {
        i: {
            "step": torch.tensor(7.0),
            "exp_avg": torch.randn(1024, 1024),
            "exp_avg_sq": torch.rand(1024, 1024),
        }
        for i in range(tensors)
    }
    groups = [
        {
            "lr": 0.001,
            "betas": (0.9, 0.999),
            "eps": 1e-8,
            "weight_decay": 0.01,
            "params": list(range(tensors)),
        }
    ]
    torch.save(
        {"model": weights, "optimizer": {"state": moments, "param_groups": groups}, "step": 7}, path
    )


def read_part(path, begin, end):
    with open(path, "rb", buffering=0) as file:
        view = memoryview(bytearray(BUFFER))
        while begin < end:
            begin += os.preadv(file.fileno(), [view], begin)


def read_seconds(path):
    """One sequential reader a core."""
    size, cores = path.stat().st_size, os.cpu_count() or 1
    readers = [
        threading.Thread(target=read_part, args=(path, size * i // cores, size * (i + 1) // cores))
        for i in range(cores)
    ]
    started = time.perf_counter()
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return time.perf_counter() - started


LOAD_AND_COMPARE = """
import sys, torch
a, b = (torch.load(p, weights_only=True) for p in sys.argv[1:])
def same(x, y):
    if isinstance(x, dict): return x.keys() == y.keys() and all(same(x[k], y[k]) for k in x)
    if isinstance(x, (list, tuple)): return len(x) == len(y) and all(map(same, x, y))
    return torch.equal(x, y) if isinstance(x, torch.Tensor) else x == y

sys.exit(0 if same(a, b) else 1)
"""


def report(name, ours, peer, ratio, good, **more):
    print(
        json.dumps(
            {"name": name, "ours": ours, "peer": peer, "ratio": ratio, "good": good, **more}
        ),
        flush=True,
    )
    return good


def measure_inspect(samestep, large):
    looked = repeated(9, (samestep, "inspect", "--json", large))
    return report(
        "inspect",
        looked.seconds,
        0.1,
        looked.seconds / 0.1,
        looked.code == 0 and looked.seconds < 0.1 and looked.peak_mib < 64,
        cpu_seconds=looked.cpu_seconds,
        peak_mib=looked.peak_mib,
    )


def read_anew(path):
    """The page cache holds the file as it was read, in large pages, not as it was written."""
    with open(path, "rb", buffering=0) as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    read_part(path, 0, path.stat().st_size)


def measure_verify(samestep, large, name="verify", bound=0.9):
    runs, reads = in_turns(7, lambda: Run(samestep, "verify", large), lambda: read_seconds(large))
    checked, reading = Runs(runs), statistics.median(reads)
    return report(
        name,
        checked.seconds,
        reading,
        reading / checked.seconds,
        checked.code == 0 and reading / checked.seconds >= bound,
        cpu_seconds=checked.cpu_seconds,
        peak_mib=checked.peak_mib,
        anonymous_mib=checked.anonymous_mib,
    )


def measure_diff(samestep, first, second):
    loads = (sys.executable, "-c", LOAD_AND_COMPARE, first, second)
    runs, peers = in_turns(3, lambda: Run(samestep, "diff", first, second), lambda: Run(*loads))
    compared, loaded = Runs(runs), Runs(peers)
    return report(
        "diff",
        compared.seconds,
        loaded.seconds,
        loaded.seconds / compared.seconds,
        compared.code == 0
        and loaded.code == 0
        and loaded.seconds / compared.seconds >= 5
        and compared.anonymous_mib < 100,
        cpu_seconds=compared.cpu_seconds,
        peer_cpu_seconds=loaded.cpu_seconds,
        peak_mib=compared.peak_mib,
        anonymous_mib=compared.anonymous_mib,
    )


ELEMENT = 70_001  # of the damaged tensor; row 68, column 369


def flip_one_bit(path):
    """Changes the lowest bit of one element of the first optimizer moment. Its two values."""
    import torch

    moment = torch.load(path, weights_only=True, mmap=True)["optimizer"]["state"][0]["exp_avg"]
    begin = moment.view(-1)[:64].numpy().tobytes()
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        at = view.find(begin) + 4 * ELEMENT
        (old,) = struct.unpack_from("<f", view, at)
        view[at] ^= 1
        (new,) = struct.unpack_from("<f", view, at)
    return old, new


def find_one_bit(samestep, first, second):
    old, new = elsewhere(flip_one_bit, second)
    ran = subprocess.run(
        [samestep, "diff", "--json", first, second], capture_output=True, text=True
    )
    findings = json.loads(ran.stdout)["findings"]
    difference = findings[0]["difference"]
    values = [float(difference[side]) for side in ("source_value", "target_value")]
    good = (
        ran.returncode == 1
        and len(findings) == 1
        and findings[0]["field"].endswith("/exp_avg")
        and difference["first_byte"] == difference["last_byte"] == 4 * ELEMENT
        and difference["first_position"] == [ELEMENT // 1024, ELEMENT % 1024]
        and [struct.pack("<f", value) for value in values]
        == [struct.pack("<f", value) for value in (old, new)]
        and difference["ulp_max"] == 1
    )
    print(
        json.dumps({"name": "diff_one_bit", "good": good, "field": findings[0]["field"]}),
        flush=True,
    )
    return good


def measure(samestep, folder, gib):
    large = folder / "large.pt"
    elsewhere(write_checkpoint, large, gib)
    read_seconds(large)  # warm
    good = measure_verify(samestep, large, "verify_written", 0)
    read_anew(large)
    good &= measure_inspect(samestep, large) & measure_verify(samestep, large)
    large.unlink()
    first, second = folder / "a.pt", folder / "b.pt"
    elsewhere(write_checkpoint, first, gib / 4)
    shutil.copyfile(first, second)
    return good & measure_diff(samestep, first, second) & find_one_bit(samestep, first, second)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samestep", default=shutil.which("samestep") or "samestep")
    parser.add_argument("--gib", type=float, default=4)
    parser.add_argument("--work")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        return 0 if measure(args.samestep, Path(folder), args.gib) else 1


if __name__ == "__main__":
    sys.exit(main())
