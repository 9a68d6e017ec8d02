"""Wall time of an audit against the sum of its legs run bare; one JSON line.

    audit_overhead.py --samestep PATH [--leg-seconds 12] [--rounds 1]

The trainer is python/examples/char_transformer.py, wide enough that a step takes a good part of a
second, with at least --leg-seconds of training after the checkpoint in each of the three legs
(uninterrupted, resumed, control). `ours` is the audit's wall time, `peer` that of the same legs run
bare on the same machine. The bar is ours <= 1.25 * peer + 3 s.
"""

import argparse
import json
import shlex
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


def one_round(samestep: str, steps: int, folder: Path) -> tuple[float, float]:
    """Seconds of the audit, and of its legs run bare."""
    saved, last = f"checkpoint-{SAVED_AT}.pt", SAVED_AT + steps
    fresh = trainer("{out}", last)
    audit = [
        *(samestep, "audit", "--json", "--work", str(folder / "work")),
        *("--checkpoint", saved, "--at", str(SAVED_AT), "--steps", str(steps)),
        *("--resume", shlex.join([*fresh, "--resume", "{checkpoint}"])),
        *("--", *fresh),
    ]
    peer = timed(trainer(str(folder / "bare"), last))
    for leg in ("resumed", "control"):
        resume = ("--resume", str(folder / "bare" / saved))
        peer += timed(trainer(str(folder / leg), last, *resume))
    return timed(audit), peer


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samestep", default=str(Path(sys.executable).with_name("samestep")))
    parser.add_argument("--leg-seconds", type=float, default=12)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        steps = steps_for(options.leg_seconds, Path(temporary))
        times = []
        for number in range(options.rounds):
            folder = Path(temporary, str(number))
            folder.mkdir()
            times.append(one_round(options.samestep, steps, folder))
    ours, peer = (min(column) for column in zip(*times, strict=True))
    within = ours <= FACTOR_MAX * peer + EXTRA_SECONDS_MAX
    line = {
        "name": "audit_overhead",
        "ours": round(ours, 2),
        "peer": round(peer, 2),
        "ratio": round(ours / peer, 3),
        "unit": "s",
        "steps_compared": steps,
        "bar": f"{FACTOR_MAX} * peer + {EXTRA_SECONDS_MAX} s",
        "within": within,
    }
    print(json.dumps(line))
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
