"""Wall time of an audit against the sum of its legs run bare; one JSON line.

    audit_overhead.py --samestep PATH [--leg-seconds 12] [--rounds 3]

The trainer is python/examples/char_transformer.py, wide enough that a step takes a good part of a
second, with at least --leg-seconds of training after the checkpoint in each of the three legs
(uninterrupted, resumed, control). `ours` is the audit's wall time, `peer` that of the same legs
run bare, interpreter and imports included. Audit and bare legs take turns on the same machine, and
which goes first alternates from round to round, so that a load that comes or goes meets both. Both
figures are medians over the rounds; `ratio` is the median of the rounds' own ratios, `spread`
their least and greatest. `load` is the load average at the start and at the end: on a busy machine
only the ratio says something. The bar is ours <= 1.25 * peer + 3 s.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAINER = Path(__file__).resolve().parents[2] / "python/examples/char_transformer.py"
SAVED_AT, FACTOR_MAX, EXTRA_SECONDS_MAX = 4, 1.25, 3.0


def timed(command: list[str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode}: {shlex.join(command)}\n{done.stdout}\n{done.stderr}")
    return seconds


def trainer(out: str, steps: int, *more: str) -> list[str]:
    options = ["--width", "256", "--blocks", "4", "--save-every", str(SAVED_AT)]
    return [sys.executable, str(TRAINER), "--out", out, "--steps", str(steps), *options, *more]


def steps_for(seconds: float, folder: Path) -> int:
    """How many steps take that many seconds, by the difference of two short runs."""
    short, long = 4, 12
    base = timed(trainer(str(folder / "short"), short))
    a_step = (timed(trainer(str(folder / "long"), long)) - base) / (long - short)
    return max(3, round(seconds / max(a_step, 1e-3)))


def audited(samestep: str, steps: int, folder: Path) -> float:
    """Seconds of the audit; its verdict must be `same`, with one control leg."""
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


def bare(steps: int, folder: Path) -> float:
    """Seconds of the three legs: one from the start, two resumed from its checkpoint."""
    last = SAVED_AT + steps
    seconds = timed(trainer(str(folder / "bare"), last))
    resume = ("--resume", str(folder / "bare" / f"checkpoint-{SAVED_AT}.pt"))
    return seconds + sum(
        timed(trainer(str(folder / leg), last, *resume)) for leg in ("resumed", "control")
    )


def one_round(samestep: str, steps: int, folder: Path, audit_first: bool) -> tuple[float, float]:
    """Seconds of the audit, and of its legs run bare."""
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
    ours, peer = (statistics.median(column) for column in zip(*times, strict=True))
    ratios = [audit / legs for audit, legs in times]
    within = ours <= FACTOR_MAX * peer + EXTRA_SECONDS_MAX
    line = {
        "name": "audit_overhead",
        "ours": round(ours, 2),
        "peer": round(peer, 2),
        "ratio": round(statistics.median(ratios), 3),
        "spread": [round(min(ratios), 3), round(max(ratios), 3)],
        "unit": "s",
        "rounds": options.rounds,
        "steps_compared": steps,
        "load": load,
        "bar": f"{FACTOR_MAX} * peer + {EXTRA_SECONDS_MAX} s",
        "within": within,
    }
    print(json.dumps(line))
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
