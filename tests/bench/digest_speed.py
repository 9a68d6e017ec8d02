"""Digests of a training state in memory, beside what a PyTorch user has, in one run.

    digest_speed.py [--mib 1039] [--rounds 7] [--work DIR]

digest/torch.save+fsync: time of digesting all state over that of saving it; at most 0.05.
digest/hash_tensor: speed over that of torch.hash_tensor on each tensor; at least 2.

One JSON line a measure: medians of interleaved rounds in rotated order. A round in which other
processes took more than a tenth of a core is run again, as often as there are rounds; `disturbed`
says how many such rounds are among those that counted. Ends with 1 when a measure misses its bar or
a result is wrong.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import torch
from rounds import run_rounds

from samestep import _core
from samestep.tensors import memory_of

SIZES, GROUPS = (1_420_000, 66_048, 512), 183  # elements; a third of the tensors each


def status_mib(key: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    return 0.0


def make_state(mib: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    scale = mib * 2**20 / (GROUPS * 4 * sum(SIZES))
    return {
        f"{kind}.{i}.{size}": torch.randn(max(int(size * scale), 1))
        for kind in ("weight", "exp_avg", "exp_avg_sq")
        for i in range(GROUPS // 3)
        for size in SIZES
    }


def save(state, path):
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())


def check(state, views):
    """Equal bytes give equal digests; a flipped bit is seen in its tensor and no other."""
    before = _core.digest_views(views)
    assert before == [_core.digest_view(view) for view in views]
    which = len(views) // 2
    bits = list(state.values())[which].view(torch.int32)
    bits[-1] ^= 1
    after = _core.digest_views(views)
    bits[-1] ^= 1
    assert [i for i, pair in enumerate(zip(before, after, strict=True)) if len({*pair}) == 2] == [
        which
    ]


def report(name, ours, peer, speed, bar, more):
    ratio = peer[0] / ours[0] if speed else ours[0] / peer[0]
    within = ratio >= bar if speed else ratio <= bar
    line = {
        "name": name,
        "ours": round(ours[0], 5),
        "peer": round(peer[0], 5),
        "ratio": round(ratio, 4),
        "unit": "s",
        "wall_s": round(ours[0], 5),
        "cpu_s": round(ours[1], 5),
        "peer_cpu_s": round(peer[1], 5),
        **more,
        "bar": f"{'>=' if speed else '<='} {bar}",
        "within": within,
    }
    print(json.dumps(line), flush=True)
    return within


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=1039)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work")
    options = parser.parse_args()

    state = make_state(options.mib)
    memories = [memory_of(tensor) for tensor in state.values()]
    views = [memory.view for memory in memories]
    check(state, views)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    rss = status_mib("VmRSS:")
    _core.digest_views(views)
    more = {"peak_mib": round(max(status_mib("VmHWM:") - rss, 0), 1), "tensors": len(state)}
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        contestants = {
            "digest": lambda: _core.digest_views(views),
            "hash_tensor": lambda: [torch.hash_tensor(tensor) for tensor in state.values()],
            "save": lambda: save(state, Path(folder, "state.pt")),
        }
        medians, more["rounds"], more["disturbed"] = run_rounds(contestants, options.rounds)
    ours = medians["digest"]
    good = report("digest/torch.save+fsync", ours, medians["save"], False, 0.05, more)
    good &= report("digest/hash_tensor", ours, medians["hash_tensor"], True, 2, more)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
