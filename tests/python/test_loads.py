"""What load calls left behind is known by field, also where it is overwritten afterwards."""

SCRIPT = """
    import copy, random, sys, torch
    import numpy as np
    from torch import nn
    torch.manual_seed(0)

    class Averager:
        def __init__(self, model):
            self.module = copy.deepcopy(model)
            self.updates = 0
            self.noise = torch.Generator()
        def load_state_dict(self, state):
            self.module.load_state_dict(state["module"])
            self.updates = state["updates"]
            self.noise.manual_seed(9)

    class Optimizer(torch.optim.AdamW):
        def load_state_dict(self, state):
            super().load_state_dict(state)
            self.param_groups[0]["lr"] = 0.5

    model = nn.Sequential(nn.Linear(3, 3))
    optimizer = Optimizer(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    average = Averager(model)
    saved = {"model": copy.deepcopy(model.state_dict())}
    saved["model"]["0.bias"] += 1
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(optimizer.state_dict())
    scheduler.load_state_dict(scheduler.state_dict() | {"last_epoch": 7})
    scaler.load_state_dict(scaler.state_dict() | {"scale": 32.0})
    average.load_state_dict({"module": saved["model"], "updates": 5})
    random.setstate(random.getstate())
    np.random.set_state(np.random.get_state())
    torch.set_rng_state(torch.get_rng_state())

    with torch.no_grad():
        model[0].bias.zero_()
    average.updates = 0
    scheduler.last_epoch = 0
    optimizer.param_groups[0]["lr"] = 0.1
    torch.rand(1)
    for step in range(6):
        loss = scaler.scale(model(torch.ones(2, 3)).sum())
        loss.backward()
        scaler.step(optimizer); scaler.update(); optimizer.zero_grad()
"""


def test_values_right_after_the_load_are_observed(trainers):
    from samestep._core import digest_value

    leg = trainers.record(trainers.script(SCRIPT), at=0)
    loaded = leg.ranks[0]["loaded"]
    expected = {
        "ema/updates": 5, "lr_scheduler/last_epoch": 7, "grad_scaler/scale": 32.0,
        "optimizer/param_groups/0/lr": 0.5,
    }  # fmt: skip
    for path, value in expected.items():
        assert digest_value(value) in loaded[path], path
    for path in ("ema/updates", "model/0.bias", "rng/torch.cpu"):
        assert leg.capture[path]["digest"] not in loaded[path], path
    assert leg.capture["model/0.weight"]["digest"] in loaded["model/0.weight"]
    assert (
        leg.capture["rng/generator.average.noise"]["digest"]
        in (loaded["rng/generator.average.noise"])
    )
    assert leg.events("recorder_error") == []


def test_what_was_not_loaded_is_looked_at_as_well(trainers):
    script = trainers.script(SCRIPT.replace("scheduler.load_state_dict", "len"))
    leg = trainers.record(script, at=0)
    from samestep._core import digest_value

    assert digest_value(7) not in leg.ranks[0]["loaded"]["lr_scheduler/last_epoch"]


NEVER_LOADED = """
    import sys, torch
    from torch import nn
    from torch.optim.swa_utils import AveragedModel
    model = nn.Linear(3, 3)
    average = AveragedModel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    model.load_state_dict({name: value + 1 for name, value in model.state_dict().items()})
    average.update_parameters(model)
    for step in range(6):
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()
        average.update_parameters(model)
        optimizer.zero_grad()
"""


def test_an_average_that_is_not_loaded_is_looked_at_as_well(trainers):
    leg = trainers.record(trainers.script(NEVER_LOADED), at=0)
    seen = leg.ranks[0]["loaded"]["ema/weight"]
    assert len(seen) == 1 and leg.capture["ema/weight"]["digest"] not in seen
    assert leg.events("recorder_error") == []


FORGOTTEN = """
    import sys, torch
    from torch import nn
    model = nn.Linear(3, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    model.load_state_dict(model.state_dict())
    for step in range(6):
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step(); optimizer.zero_grad()
"""


def test_a_look_beside_another_load_is_no_load(trainers):
    leg = trainers.record(trainers.script(FORGOTTEN), at=0)
    assert "optimizer/param_groups/0/lr" in leg.ranks[0]["loaded"]
    assert "optimizer" not in leg.ranks[0]["loaded_components"]
    assert "model" in leg.ranks[0]["loaded_components"]
