"""C++ trainers, each with one fault: the audit of each says what its case expects."""

import importlib.util
import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = Path(os.environ.get("SAMESTEP_BUILD", ROOT / "build/release"))
TRAINER = BUILD / "tests/cases/cpp/cpp_case_trainer"
TEXT = ROOT / "LICENSE"
spec = importlib.util.spec_from_file_location("run_cases", HERE.parent / "run_cases.py")
run_cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_cases)


def cases():
    return [json.loads(file.read_text()) for file in sorted(HERE.glob("*.json"))]


def words(case, *more):
    fault = ["--fault", case["fault"]] if case["fault"] else []
    return [str(TRAINER), "--text", str(TEXT), "--out", "{out}", *fault, *more]


def audit(samestep, case, work, *options):
    command = [samestep, "audit", "--json", *options, "--work", str(work)]
    command += ["--at", str(case["at"])]
    command += ["--steps", str(case["steps"]), "--checkpoint", case["checkpoint"]]
    command += ["--resume", shlex.join(words(case, "--resume", "{checkpoint}"))]
    command += ["--", *words(case)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def gate(samestep, work, checkpoint):
    """Exit status of the gate on what the audit's first leg left, and the fields it refuses."""
    command = [
        samestep,
        "gate",
        "--json",
        f"{work}/uninterrupted/run",
        f"{work}/branch/{checkpoint}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    findings = json.loads(done.stdout)["findings"]
    refused = {(f["field"], f["rank"]) for f in findings if f["grade"] == "confirmed"}
    return done.returncode, refused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("sound", set()),
        ("rng-lost", {("rng/torch.cpu", 0)}),
        ("scheduler-lost", {("lr_scheduler/last_epoch", 0)}),
    ],
)
def test_the_gate_refuses_what_a_checkpoint_lacks(name, refused, samestep, tmp_path):
    case = next(case for case in cases() if case["id"] == name)
    if not TRAINER.exists():
        pytest.skip("built without libtorch (SAMESTEP_TORCH)")
    audit(samestep, case, tmp_path / "work")
    code, found = gate(samestep, tmp_path / "work", case["checkpoint"])
    assert found == refused
    assert code == (1 if refused else 0)


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_case(case, samestep, tmp_path):
    if not TRAINER.exists():
        pytest.skip("built without libtorch (SAMESTEP_TORCH)")
    done = audit(samestep, case, tmp_path / "work")
    wrong = run_cases.judge(case, done, False, require_cause=False)
    assert not wrong, "\n".join([*wrong, done.stderr[-2000:]])
    # The batch of the next step is drawn between the save and its begin: the file is right.
    findings = json.loads(done.stdout)["findings"]
    assert "healed" not in {f.get("fate") for f in findings}, findings
