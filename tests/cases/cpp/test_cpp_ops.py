"""Where a C++ trainer's legs part, `audit --ops` names the operator."""

import json

import pytest
from cases.cpp.test_cpp_cases import TRAINER, audit, cases


def operator(samestep, work, name):
    """What the report says of the operator in the case of that name."""
    if not TRAINER.exists():
        pytest.skip("built without libtorch (SAMESTEP_TORCH)")
    case = next(case for case in cases() if case["id"] == name)
    done = audit(samestep, case, work, "--ops")
    report = json.loads(done.stdout)
    assert report["verdict"] == "diverged", done.stderr[-2000:]
    assert "operator" in report["divergence"], report["coverage"]["not_compared"]
    return report["divergence"]["operator"]


@pytest.mark.slow
def test_a_lost_stream_shows_where_it_is_drawn_from(samestep, tmp_path):
    found = operator(samestep, tmp_path / "work", "rng-lost")
    assert (found["phase"], found["differs"]) == ("forward", "outputs")
    assert "bernoulli" in found["name"] or "dropout" in found["name"]
    assert found["same_before"] > 0


@pytest.mark.slow
def test_an_option_of_the_optimizer_shows_in_its_step(samestep, tmp_path):
    found = operator(samestep, tmp_path / "work", "weight-decay-overwritten")
    assert found["phase"] == "optimizer"
    assert found["differs"] == "inputs"
