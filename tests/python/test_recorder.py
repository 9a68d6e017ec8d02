"""One recorded trainer from its first begin to its stop."""

import pytest

PLAIN = """
    import sys, torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for step in range(6):
        loss = model(torch.randn(3, 4)).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step)
"""


def test_the_begins_up_to_the_last_boundary_are_logged_and_the_process_stops(trainers):
    leg = trainers.record(trainers.script(PLAIN))
    assert leg.begins[:4] == [(step, "begin") for step in range(4)]
    assert leg.begins[-1] == (4, "begin")
    assert leg.ranks[0]["closed"]
    assert leg.stdout.splitlines() == [f"step {i}" for i in range(4)]
    assert leg.events("recorder_error") == []


def test_a_capture_has_parameters_slots_groups_and_streams(trainers):
    capture = trainers.record(trainers.script(PLAIN)).capture
    assert {"model/0.weight", "model/2.bias", "rng/torch.cpu", "rng/python"} <= capture.keys()
    assert capture["optimizer/state/0.weight/exp_avg"]["traits"]["place"] == (
        "optimizer/state/0/exp_avg"
    )
    assert capture["optimizer/state/2.bias/step"]["role"] == "step_counter"
    assert {"optimizer/param_groups/0/lr", "optimizer/param_groups/0/betas/1"} <= capture.keys()


def test_two_runs_of_one_trainer_record_the_same(trainers):
    script = trainers.script(PLAIN)
    first, second = trainers.record(script, name="a"), trainers.record(script, name="b")
    assert first.ranks[0]["traces"] == second.ranks[0]["traces"]
    unseeded = {path for path in first.capture if path.startswith(("rng/python", "rng/numpy"))}
    assert first.differs_from(second) <= unseeded


def test_what_happens_inside_a_step_is_traced_in_causal_order(trainers):
    leg = trainers.record(trainers.script(PLAIN), steps=1)
    phases = [phase for completed, phase, _ in leg.ranks[0]["traces"] if completed == 2]
    order = ["batch", "forward:0", "forward:", "loss", "grad:0.weight", "optimizer:model/0.weight"]
    assert [phase for phase in phases if phase in order] == order


def test_gradients_cleared_before_use_are_told_to_be_dead(trainers):
    leg = trainers.record(trainers.script(PLAIN))
    gradients = {path for path in leg.capture if path.startswith("gradients/")}
    assert gradients == set(leg.ranks[0]["dead_gradients"]) != set()


@pytest.mark.parametrize("steps", [2, 4], ids=["before", "at"])
def test_a_trainer_that_ends_by_itself_leaves_its_last_boundary(steps, trainers):
    script = trainers.script(PLAIN.replace("range(6)", f"range({steps})"))
    leg = trainers.record(script)
    assert leg.begins[-1] == (steps, "end")
    assert "optimizer/state/0.weight/exp_avg" in leg.ranks[0]["begins"][-1]["fields"]
    assert leg.ranks[0]["closed"]


def test_a_bare_leg_records_nothing_and_stops_in_time(trainers):
    leg = trainers.record(trainers.script(PLAIN), leg="bare")
    assert leg.begins == [] and leg.ranks[0]["capture"] is None
    assert len(leg.stdout.splitlines()) in (3, 4)


def test_a_second_process_of_the_same_rank_stays_out(trainers):
    script = trainers.script(
        PLAIN
        + """
        if step == 0 and len(sys.argv) == 2:
            import subprocess
            subprocess.run([sys.executable, __file__, sys.argv[1], "inner"], check=True)
        """
    )
    leg = trainers.record(script)
    assert len(leg.ranks) == 1 and leg.ranks[0]["closed"]
    assert leg.begins[-1] == (4, "begin")
    assert leg.stdout.splitlines()[-1] == "step 3"
