"""The C++ example keeps the promise of its README: it resumes, and its faults are named."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SAMESTEP_BUILD", ROOT / "build/release"))
PROGRAM = BUILD / "examples/byte_text/byte_text"
TEXT = ROOT / "LICENSE"


@pytest.fixture(autouse=True)
def built():
    if not PROGRAM.exists():
        pytest.skip("built without libtorch (SAMESTEP_TORCH)")


def words(*more: str) -> list[str]:
    return [str(PROGRAM), "--text", str(TEXT), *more]


def train(*more: str) -> list[str]:
    done = subprocess.run(words(*more), capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def audit(samestep: str, work: Path, *more: str) -> subprocess.CompletedProcess:
    resume = shlex.join(words("--out", "{out}", "--resume", "{checkpoint}", *more))
    command = [samestep, "audit", "--json", "--work", str(work)]
    command += ["--checkpoint", "checkpoint-40.samestep", "--at", "40", "--steps", "4"]
    command += ["--resume", resume, "--", *words("--out", "{out}", *more)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def test_it_prints_the_same_losses_after_a_resume(tmp_path):
    whole = train("--out", str(tmp_path / "run"), "--steps", "50")
    checkpoint = str(tmp_path / "run/checkpoint-40.samestep")
    rest = train("--out", str(tmp_path / "more"), "--steps", "50", "--resume", checkpoint)
    assert len(rest) == 10
    assert rest == whole[-10:]


def test_its_audit_is_the_same(samestep, tmp_path):
    done = audit(samestep, tmp_path / "work")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    coverage = json.loads(done.stdout)["coverage"]
    assert coverage["steps_compared"] == 4
    assert coverage["by_component"]["optimizer"] > 20


@pytest.mark.parametrize(
    ("fault", "field"), [("schedule", "lr_scheduler/last_epoch"), ("streams", "rng/torch.cpu")]
)
def test_its_audit_names_what_a_fault_lost(samestep, tmp_path, fault, field):
    done = audit(samestep, tmp_path / "work", "--fault", fault)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr
    first = json.loads(done.stdout)["findings"][0]
    assert (first["field"], first["fate"]) == (field, "missing")


def test_it_says_what_is_wrong_with_its_text(tmp_path):
    command = [str(PROGRAM), "--text", str(tmp_path / "none"), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "none: no text, or too short" in done.stderr
