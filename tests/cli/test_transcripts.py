"""Golden transcripts: what the command prints, and its exit code.

SAMESTEP_UPDATE_GOLDEN=1 writes them anew.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
GOLDEN = HERE / "golden"

VERBS = ("inspect", "verify", "diff", "gate", "audit", "prune", "schema")
TRANSCRIPTS = {
    "help": ["--help"],
    **{f"help-{verb}": [verb, "--help"] for verb in VERBS},
    "no-verb": [],
    "help-verb": ["help", "schema"],
    "unknown-verb": ["train"],
    "mistyped-verb": ["adit"],
    "mistyped-option": ["audit", "--chekpoint", "x", "--", "true"],
    "value-missing": ["audit", "--at"],
    "option-twice": ["audit", "--at", "4", "--at", "5", "--", "true"],
    "at-no-number": ["audit", "--at", "abc", "--", "true"],
    "at-fraction": ["audit", "--at", "4.5", "--", "true"],
    "at-huge": ["audit", "--at", "99999999999999999999", "--", "true"],
    "steps-zero": ["audit", "--steps", "0", "--", "true"],
    "controls-negative": ["audit", "--controls", "-1", "--", "true"],
    "timeout-zero": ["audit", "--timeout", "0", "--", "true"],
    "resume-empty": ["audit", "--at", "4", "--resume", "", "--", "true", "{out}"],
    "checkpoint-empty": ["audit", "--checkpoint", "", "--", "true", "{out}"],
    "checkpoint-absolute": ["audit", "--checkpoint", "/data/c*", "--", "true", "{out}"],
    "checkpoint-upwards": ["audit", "--checkpoint", "../c*", "--", "true", "{out}"],
    "audit-misspelt": ["audit", "--at", "4", "--resume", "a {chekpoint}", "--", "true", "{out}"],
    "html-no-report": ["verify", "--html", "{samples}/handed/torch-zip-proto2/ckpt.pt", "a"],
    "reports-same": ["verify", "--html", "/tmp/samestep.x", "--junit", "/tmp/samestep.x", "a"],
    "audit-no-place": ["audit", "--", "true", "{out}"],
    "audit-no-out": ["audit", "--at", "4", "--", "python", "train.py"],
    "inspect-nothing": ["inspect"],
    "inspect-empty": ["inspect", ""],
    "inspect-two": ["inspect", "a", "b"],
    "inspect-digest-unknown": ["inspect", "--digest", "md5", "a"],
    "inspect-digests": [
        "inspect",
        "--digest",
        "xxh3,sha256",
        "{samples}/handed/torch-tied-weights/ckpt.pt",
    ],
    "diff-nothing": ["diff"],
    "diff-one": ["diff", "a"],
    "gate-one": ["gate", "a"],
    "schema-nothing": ["schema"],
    "verify-no-share": ["verify", "--read-data-subset", "0%", "a"],
    "html-empty": ["verify", "--html", "", "a"],
    "html-no-folder": ["verify", "--html", "no/such/folder/a.html", "a"],
    "html-full-disk": [
        "verify",
        "--html",
        "/dev/full",
        "{samples}/handed/torch-zip-proto2",
    ],
    "junit-full-disk": [
        "verify",
        "--junit",
        "/dev/full",
        "{samples}/handed/torch-zip-proto2",
    ],
    "schema-list": ["schema", "--list"],
    "schema-unknown": ["schema", "report.v9"],
    "inspect-missing": ["inspect", "no/such/checkpoint"],
    "inspect-zip": ["inspect", "{samples}/handed/torch-optim-adamw/ckpt.pt"],
    "inspect-zip-fields": ["inspect", "--fields", "{samples}/handed/torch-tied-weights/ckpt.pt"],
    "inspect-code": ["inspect", "--fields", "{samples}/hostile/pickle-code-bare-pkl/state.pkl"],
    "verify-sound": ["verify", "{samples}/handed/torch-zip-proto2"],
    "verify-damaged": ["verify", "{samples}/hostile/dcp-bitflip"],
    "diff-one-bit": [
        "diff",
        "{samples}/hostile/pair-one-bit/a.pt",
        "{samples}/hostile/pair-one-bit/b.pt",
    ],
    "diff-same": [
        "diff",
        "{samples}/hostile/pair-dict-order/a.pt",
        "{samples}/hostile/pair-dict-order/b.pt",
    ],
    "diff-quick": [
        "diff",
        "--quick",
        "{samples}/hostile/pair-one-bit/a.pt",
        "{samples}/hostile/pair-one-bit/b.pt",
    ],
    "diff-quick-no-zip": ["diff", "--quick", "{samples}/handed", "{samples}/handed"],
    "prune-no-run": ["prune", "no/such/run"],
    "prune-keep-gap": ["prune", "--keep", "1,,2", "no/such/run"],
    "prune-keep-nothing": ["prune", "--keep", "", "no/such/run"],
    "prune-keep-none": ["prune", "--keep-last", "0", "no/such/run"],
    "gate-no-capture": [
        "gate",
        "{samples}/handed/torch-zip-proto2",
        "{samples}/handed/torch-zip-proto2",
    ],
    "audit-no-command": ["audit", "--at", "4"],
    "audit-no-dashes": ["audit", "python", "train.py"],
    "audit-bad-quote": ["audit", "--resume", "python 'train.py", "--", "true"],
}


def run(samestep: str, arguments: list[str], **more) -> subprocess.CompletedProcess[str]:
    words = [word.replace("{samples}", str(SAMPLES)) for word in arguments]
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [samestep, *words], capture_output=True, text=True, env=environment, check=False, **more
    )


def normalised(text: str) -> str:
    """Places of this machine are volatile; so is the version."""
    text = text.replace(str(SAMPLES), "{samples}")
    return re.sub(r"samestep \d+\.\d+\.\d+", "samestep VERSION", text)


def transcript(samestep: str, arguments: list[str]) -> str:
    done = run(samestep, arguments)
    parts = [f"$ samestep {' '.join(arguments)}\n", normalised(done.stdout)]
    if done.stderr:
        parts.append("".join(f"stderr: {line}\n" for line in normalised(done.stderr).splitlines()))
    return "".join([*parts, f"exit {done.returncode}\n"])


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcript(samestep, name):
    path = GOLDEN / f"{name}.txt"
    got = transcript(samestep, TRANSCRIPTS[name])
    if os.environ.get("SAMESTEP_UPDATE_GOLDEN"):
        path.write_text(got)
    assert got == path.read_text()


def test_every_golden_file_is_used():
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(TRANSCRIPTS)
