"""What an audit takes against the sum of its legs run bare: wall time, CPU time; a JSON line each.

    audit_overhead.py --samestep PATH [--leg-seconds 12] [--rounds 3]

The trainer is python/examples/char_transformer.py, wide enough that a step takes a good part of a
second, with at least --leg-seconds of training after the checkpoint in each of the three legs
(uninterrupted, resumed, control). `ours` is the audit's wall time, `peer` that of the same legs
run bare, interpreter and imports included. Audit and bare legs take turns on the same machine, and
which goes first alternates from round to round, so that a load that comes or goes meets both. Both
figures are medians over the rounds; `ratio` is the median of the rounds' own ratios, `spread`
their least and greatest. `load` is the load average at the start and at the end. The bar is ours
<= 1.25 * peer + 3 s of wall time; where others use the machine, CPU time of the command and all of
its children is what can be compared.
"""

import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAINER = Path(__file__).resolve().parents[2] / "python/examples/char_transformer.py"
SAVED_AT, FACTOR_MAX, EXTRA_SECONDS_MAX = 4, 1.25, 3.0


Seconds = tuple[float, float]  # wall time, CPU time


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command: list[str]) -> Seconds:
    started, cpu = time.perf_counter(), cpu_of_children()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started, cpu_of_children() - cpu
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode}: {shlex.join(command)}\n{done.stdout}\n{done.stderr}")
    return seconds


def trainer(out: str, steps: int, *more: str) -> list[str]:
    options = ["--width", "256", "--blocks", "4", "--save-every", str(SAVED_AT)]
    return [sys.executable, str(TRAINER), "--out", out, "--steps", str(steps), *options, *more]


def steps_for(seconds: float, folder: Path) -> int:
    """How many steps take that many seconds, by the difference of two short runs."""
    short, long = 4, 12
    base, _ = timed(trainer(str(folder / "short"), short))
    whole, _ = timed(trainer(str(folder / "long"), long))
    a_step = (whole - base) / (long - short)
    return max(3, round(seconds / max(a_step, 1e-3)))


def audited(samestep: str, steps: int, folder: Path) -> Seconds:
    """Time of the audit; its verdict must be `same`, with one control leg."""
    fresh = trainer("{out}", SAVED_AT + steps)
    return timed(
        [
            *(samestep, "audit", "--json", "--work", str(folder / "work"), "--controls", "1"),
            *("--checkpoint", f"checkpoint-{SAVED_AT}.pt", "--at", str(SAVED_AT)),
            *("--steps", str(steps)),
            *("--resume", shlex.join([*fresh, "--resume", "{checkpoint}"])),
            *("--", *fresh),
        ]
    )


def bare(steps: int, folder: Path) -> Seconds:
    """Time of the three legs: one from the start, two resumed from its checkpoint."""
    last = SAVED_AT + steps
    legs = [timed(trainer(str(folder / "bare"), last))]
    resume = ("--resume", str(folder / "bare" / f"checkpoint-{SAVED_AT}.pt"))
    for leg in ("resumed", "control"):
        legs.append(timed(trainer(str(folder / leg), last, *resume)))
    return sum(wall for wall, _ in legs), sum(cpu for _, cpu in legs)


def one_round(
    samestep: str, steps: int, folder: Path, audit_first: bool
) -> tuple[Seconds, Seconds]:
    """Times of the audit, and of its legs run bare."""
    folder.mkdir()
    if audit_first:
        ours = audited(samestep, steps, folder)
        return ours, bare(steps, folder)
    peer = bare(steps, folder)
    return audited(samestep, steps, folder), peer


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samestep", default=str(Path(sys.executable).with_name("samestep")))
    parser.add_argument("--leg-seconds", type=float, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    load = [round(os.getloadavg()[0], 1)]
    with tempfile.TemporaryDirectory() as temporary:
        steps = steps_for(options.leg_seconds, Path(temporary))
        times = [
            one_round(options.samestep, steps, Path(temporary, str(number)), number % 2 == 0)
            for number in range(options.rounds)
        ]
    load.append(round(os.getloadavg()[0], 1))
    facts = {"rounds": options.rounds, "steps_compared": steps, "load": load}
    print(json.dumps(line_of("audit_overhead_cpu", times, 1) | facts))
    wall = line_of("audit_overhead", times, 0) | facts
    within = wall["ours"] <= FACTOR_MAX * wall["peer"] + EXTRA_SECONDS_MAX
    bar = f"{FACTOR_MAX} * peer + {EXTRA_SECONDS_MAX} s"
    print(json.dumps(wall | {"bar": bar, "within": within}))
    return 0 if within else 1


def line_of(name: str, times: list[tuple[Seconds, Seconds]], which: int) -> dict:
    """`which`: wall time or CPU time."""
    ours, peer = (
        statistics.median(side[which] for side in column) for column in zip(*times, strict=True)
    )
    ratios = [audit[which] / legs[which] for audit, legs in times]
    return {
        "name": name,
        "ours": round(ours, 2),
        "peer": round(peer, 2),
        "ratio": round(statistics.median(ratios), 3),
        "spread": [round(min(ratios), 3), round(max(ratios), 3)],
        "unit": "s",
    }


if __name__ == "__main__":
    sys.exit(main())
