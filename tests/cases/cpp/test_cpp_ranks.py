"""C++ trainers of two processes: each rank is compared with itself, and a finding says its rank."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cases.cpp.test_cpp_cases import TEXT, TRAINER, gate, run_cases

HERE = Path(__file__).resolve().parent
pytestmark = pytest.mark.slow


def cases():
    return [json.loads(file.read_text()) for file in sorted(HERE.glob("ranks/*.json"))]


def launched(*words):
    """The trainer as two ranks of one machine."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    options = ["--nproc-per-node", "2", "--no-python"]
    return [*torchrun, *options, str(TRAINER), "--text", str(TEXT), "--out", "{out}", *words]


def audit(samestep, work, case, fresh=(), resumed=()):
    if not TRAINER.exists():
        pytest.skip("built without libtorch (SAMESTEP_TORCH)")
    command = [samestep, "audit", "--json", "--work", str(work), "--at", str(case["at"])]
    command += ["--steps", str(case["steps"]), "--checkpoint", case["checkpoint"]]
    command += ["--resume", shlex.join(launched("--resume", "{checkpoint}", *resumed))]
    command += ["--", *launched(*fresh)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_case_of_two_ranks(case, samestep, tmp_path):
    fault = ["--fault", case["fault"], "--fault-rank", str(case["fault_rank"])]
    words = fault if case["fault"] else []
    done = audit(samestep, tmp_path / "work", case, words, words)
    wrong = run_cases.judge(case, done, False, require_cause=False)
    assert not wrong, "\n".join([*wrong, done.stderr[-2000:]])
    report = json.loads(done.stdout)
    coverage = report["coverage"]
    assert (coverage["ranks_heard"], coverage["ranks_expected"]) == ([0, 1], 2)
    confirmed = [f for f in report["findings"] if f["grade"] == "confirmed"]
    faulty = {case["fault_rank"]} if case["fault"] else set()
    assert {f["rank"] for f in confirmed} == faulty
    parted = report.get("divergence")
    assert ({parted["first"]["rank"]} if parted else set()) == faulty
    code, refused = gate(samestep, tmp_path / "work", case["checkpoint"])
    refuses = case["gate"] == "refuses"  # a place in the data, which many trainers skip to, is not
    assert {rank for _, rank in refused} == (faulty if refuses else set()), refused
    assert code == (1 if refuses else 0)


def test_a_rank_that_dies_ends_the_audit_with_its_last_words(samestep, tmp_path):
    case = cases()[0]
    dies = ["--fault", "dies", "--fault-rank", "1"]
    done = audit(samestep, tmp_path / "work", case, resumed=dies)
    assert done.returncode == 2, done.stdout[-2000:]
    assert "resumed leg" in done.stderr
    assert "failed with exit status 1" in done.stderr
