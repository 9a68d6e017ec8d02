"""Each case and its repaired form is one test: the audit says what the case expects."""

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("run_cases", HERE / "run_cases.py")
run_cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_cases)

SECONDS_MAX = float(os.environ.get("SAMESTEP_CASE_SECONDS", "600"))


def cases():
    for file in sorted(HERE.glob("*/case.json")):
        case = json.loads(file.read_text())
        yield pytest.param(file.parent, case, False, id=case["id"])
        if case["expect"]["verdict"] == "diverged" and not case.get("no_fixed"):
            yield pytest.param(file.parent, case, True, id=f"{case['id']}-fixed")


def unproven(case, done):
    """Why this answer is wrong even for an auditor that proves no causes; empty when it is right.

    Such a case has equal state: only the proof names its cause. Without one `undecided` is the
    honest verdict, and nothing that is in order may be blamed.
    """
    report = json.loads(done.stdout)
    if report["verdict"] == "same":
        return ["verdict same, yet the steps differ"]
    blamed = [
        f["field"] for f in report["findings"] if f["kind"] == "gap" and f["grade"] == "confirmed"
    ]
    return [f"{field} is blamed without proof" for field in blamed]


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "case", "fixed"), list(cases()))
def test_case(folder, case, fixed, samestep, tmp_path):
    options = argparse.Namespace(samestep=samestep, python=sys.executable, timeout=SECONDS_MAX)
    done, _ = run_cases.audit(folder, case, options, fixed, tmp_path / "work")
    wrong = run_cases.judge(case, done, fixed, require_cause=False)
    if wrong and case.get("level") == "proof" and not fixed and done.returncode in (1, 3):
        wrong = unproven(case, done)
    assert not wrong, "\n".join([*wrong, done.stderr[-2000:]])
