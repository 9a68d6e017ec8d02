"""inspect, verify and diff of large checkpoints, beside what they are measured against, in one run.

    checkpoint_speed.py [--samestep PATH] [--gib 4] [--work DIR]

inspect: of a checkpoint of --gib GiB, warm: under 100 ms and 64 MiB. verify: at least 0.9 of
the rate at which one sequential reader a core reads the same file. diff: of two equal checkpoints a
quarter as large, at least 5 times as fast as torch.load of both and torch.equal on each leaf, and
at most 100 MiB beside mapped pages.
"""

import argparse
import json
import os
import shutil
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
            time.sleep(0.01)


def best(count, make):
    return min((make() for _ in range(count)), key=lambda run: run.seconds)


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


def measure(samestep, folder, gib):
    large = folder / "large.pt"
    write_checkpoint(large, gib)
    read_seconds(large)  # warm
    looked = best(5, lambda: Run(samestep, "inspect", "--json", large))
    good = report(
        "inspect",
        looked.seconds,
        0.1,
        looked.seconds / 0.1,
        looked.code == 0 and looked.seconds < 0.1 and looked.peak_mib < 64,
        peak_mib=looked.peak_mib,
    )
    reading = min(read_seconds(large) for _ in range(3))
    checked = best(3, lambda: Run(samestep, "verify", large))
    good &= report(
        "verify",
        checked.seconds,
        reading,
        reading / checked.seconds,
        checked.code == 0 and reading / checked.seconds >= 0.9,
        peak_mib=checked.peak_mib,
    )
    large.unlink()
    first, second = folder / "a.pt", folder / "b.pt"
    write_checkpoint(first, gib / 4)
    shutil.copyfile(first, second)
    loaded = best(2, lambda: Run(sys.executable, "-c", LOAD_AND_COMPARE, first, second))
    compared = best(3, lambda: Run(samestep, "diff", first, second))
    return good & report(
        "diff",
        compared.seconds,
        loaded.seconds,
        loaded.seconds / compared.seconds,
        compared.code == 0
        and loaded.code == 0
        and loaded.seconds / compared.seconds >= 5
        and compared.anonymous_mib < 100,
        peak_mib=compared.peak_mib,
        anonymous_mib=compared.anonymous_mib,
    )


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
