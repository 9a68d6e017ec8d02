"""The demo: audits python/examples/char_transformer.py as it is, and with its fault.

Ends with 1 when a verdict is another than it must be.

demo.py --samestep PATH --out DIR
"""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

TRAINER = Path(__file__).resolve().parent.parent / "python/examples/char_transformer.py"
SAVED_AT, STEPS = 8, 3

# name, what the resumed command gets more, exit code, what the report must say
RUNS = (
    ("sound", [], 0, r"\bsame\b"),
    (
        "step-counter-overwritten",
        ["--fault", "step-counter"],
        1,
        r"optimizer/state/\S+/step\b(?s:.{0,400})overwritten|overwritten(?s:.{0,400})optimizer/state/\S+/step\b",
    ),
)


def audit(samestep: str, folder: Path, fault: list[str]) -> tuple[int, str]:
    """Runs one audit; its report goes to the terminal and into report.txt."""
    train = [sys.executable, str(TRAINER), "--out", "{out}"]
    command = [
        *(samestep, "audit", "--work", str(folder / "work")),
        *(
            "--checkpoint",
            f"checkpoint-{SAVED_AT}.pt",
            "--at",
            str(SAVED_AT),
            "--steps",
            str(STEPS),
        ),
        *("--resume", shlex.join([*train, "--resume", "{checkpoint}", *fault])),
        *("--", *train),
    ]
    print(f"$ {shlex.join(command)}", flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    (folder / "report.txt").write_text(done.stdout)
    print(done.stdout, flush=True)
    return done.returncode, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samestep", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    shutil.rmtree(options.out, ignore_errors=True)
    summary, wrong = [], []
    for name, fault, expected_code, expected_text in RUNS:
        folder = options.out / name
        folder.mkdir(parents=True)
        code, text = audit(options.samestep, folder, fault)
        if code != expected_code:
            wrong.append(f"{name}: exit code {code}, expected {expected_code}")
        if not re.search(expected_text, text):
            wrong.append(f"{name}: the report does not say {expected_text}")
        last = text.strip().splitlines()[-1] if text.strip() else "(no report)"
        summary.append(f"{name}: {last}\n  report and records: {folder}")

    print("== Demo", *summary, sep="\n")
    for line in wrong:
        print(f"demo: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
