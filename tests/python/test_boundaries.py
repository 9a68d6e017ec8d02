"""Where steps begin and end in trainings that are not one forward, one backward, one step."""

import pytest

HEAD = """
    import os, sys, torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    data = torch.randn(60, 2, 4)
    out = sys.argv[1]
"""

VALIDATED = """
    for step in range(6):
        optimizer.zero_grad()
        model(data[step]).square().mean().backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            model(data[30 + step])
        model.train()
"""

ACCUMULATED = """
    for micro in range(24):
        model(data[micro]).square().mean().backward()
        if micro % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
"""

SAVED_INSIDE = """
    for micro in range(24):
        model(data[micro]).square().mean().backward()
        if micro % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
        if micro == 9:
            SAVE
"""

SKIPPED_BY_SCALER = """
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=100)
    for step in range(6):
        loss = model(data[step]).square().mean()
        if step in (1, 3):
            loss = loss * float("inf")
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
"""

CLOSURES = """
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
    for step in range(6):
        def closure():
            optimizer.zero_grad()
            loss = model(data[step]).square().mean()
            loss.backward()
            return loss
        optimizer.step(closure)
"""

TWO_OPTIMIZERS = """
    critic = nn.Linear(1, 1)
    other = torch.optim.SGD(critic.parameters(), lr=0.01, momentum=0.9)
    for step in range(6):
        critic(model(data[step]).detach()).mean().backward()
        other.step(); other.zero_grad()
        (model(data[step]).square().mean() - critic(model(data[step])).mean()).backward()
        optimizer.step(); optimizer.zero_grad()
"""

TAKING_TURNS = """
    G, D = model, nn.Linear(1, 1)
    other = torch.optim.SGD(D.parameters(), lr=0.01, momentum=0.9)
    for step in range(6):
        other.zero_grad()
        D(G(data[step]).detach()).mean().backward()
        other.step()
        optimizer.zero_grad()
        D(G(data[step])).mean().backward()
        optimizer.step()
"""

DUMMY_STEPS = """
    from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict
    get_optimizer_state_dict(model, optimizer)
    for step in range(6):
        model(data[step]).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
"""

COMPILED = """
    net = torch.compile(model, backend="eager")
    for step in range(6):
        net(data[step]).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
"""

COMPILED_IN_PLACE = COMPILED.replace("net = torch.compile(model, ", "net = model; model.compile(")

WITHOUT_CALLS = """
    for step in range(6):
        model.forward(data[step]).square().mean().backward() if step % 2 else \\
            nn.functional.linear(nn.functional.linear(data[step], model[0].weight),
                                 model[1].weight).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


@pytest.mark.parametrize(
    "body",
    [VALIDATED, ACCUMULATED, SKIPPED_BY_SCALER, CLOSURES, TWO_OPTIMIZERS, DUMMY_STEPS,
     WITHOUT_CALLS, COMPILED, COMPILED_IN_PLACE],
    ids=["validation", "accumulation", "skipped steps", "closures", "two optimizers",
         "dummy steps", "without module calls", "compiled", "compiled in place"],
)  # fmt: skip
def test_each_step_begins_once(body, trainers):
    leg = trainers.record(trainers.script(HEAD + body))
    begins = [completed for completed, phase in leg.begins if phase == "begin"]
    assert begins == [0, 1, 2, 3, 4]
    assert leg.ranks[0]["capture"]["completed"] == 2
    assert leg.events("recorder_error") == []


def test_the_batch_is_that_of_the_training_forward(trainers):
    import torch

    leg = trainers.record(trainers.script(HEAD + VALIDATED))
    torch.manual_seed(0)
    nn = torch.nn
    nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
    batch = torch.randn(60, 2, 4)[2]
    from samestep.tensors import digest_of

    phases = {(completed, phase): digest for completed, phase, digest in leg.ranks[0]["traces"]}
    assert phases[(2, "batch")] == digest_of(batch)


@pytest.mark.parametrize(
    "save",
    ["torch.save(model.state_dict(), os.path.join(out, 'ck.pt'))",
     "open(os.path.join(out, 'ck.pt'), 'wb').write(b'anything')"],
    ids=["torch.save", "any other way"],
)  # fmt: skip
def test_a_save_inside_a_window_moves_the_capture_behind_it(save, trainers):
    script = trainers.script(HEAD + SAVED_INSIDE.replace("SAVE", save))
    leg = trainers.record(script, checkpoint="ck.pt")
    assert [completed for completed, phase in leg.begins if phase == "begin"] == [0, 1, 2, 3, 4]
    assert "gradients/0.weight" in leg.capture and leg.ranks[0]["dead_gradients"] == []
    elsewhere = trainers.record(script, name="before", checkpoint="other")
    assert "torch.save" in save or "gradients/0.weight" not in elsewhere.capture


def test_names_of_two_optimizers_and_models(trainers):
    leg = trainers.record(trainers.script(HEAD + TWO_OPTIMIZERS))
    assert {
        "model/0.weight", "model.1/weight", "optimizer/state/0.weight/exp_avg",
        "optimizer.1/state/weight/momentum_buffer",
    } <= leg.capture.keys()  # fmt: skip
    assert leg.events("optimizers")[0]["stepping"] == ["optimizer", "optimizer.1"]


def test_gradients_that_wait_for_another_model_are_dead(trainers):
    """Those of one are cleared after the backward of the other; short capital names are models."""
    leg = trainers.record(trainers.script(HEAD + TAKING_TURNS))
    assert {"model/0.weight", "model.1/weight"} <= leg.capture.keys()
    held = {path for path in leg.capture if path.startswith("gradients")}
    assert held and held == set(leg.ranks[0]["dead_gradients"])


CRITIC = """
    import os, sys, torch
    from torch import nn
    torch.manual_seed(0)
    critic, maker = nn.Linear(3, 1), nn.Linear(2, 3)
    critic_steps = torch.optim.Adam(critic.parameters(), lr=0.1)
    maker_steps = torch.optim.Adam(maker.parameters(), lr=0.1)
    for step in range(14):
        critic_steps.zero_grad()
        critic(maker(torch.randn(4, 2)).detach()).mean().backward()
        critic_steps.step()
        if step % int(sys.argv[2]) == int(sys.argv[2]) - 1:
            maker_steps.zero_grad()
            critic(maker(torch.randn(4, 2))).mean().backward()
            maker_steps.step()
        if step == 3:
            torch.save({}, os.path.join(sys.argv[1], "checkpoint.pt"))
"""


def test_two_optimizers_in_turns_make_one_step_together(trainers):
    leg = trainers.record(trainers.script(CRITIC), "1", at=3)
    assert leg.begins[-1] == (5, "begin")


@pytest.mark.parametrize("pace", ["3", "5"])
def test_optimizers_of_different_paces_leave_at_unclear(pace, trainers):
    script = trainers.script(CRITIC)
    with pytest.raises(AssertionError, match="different paces.*leave --at out"):
        trainers.record(script, pace, at=3, steps=4, name="at")
    leg = trainers.record(script, pace, at=None, checkpoint="checkpoint.pt", name="appears")
    assert leg.ranks[0]["capture"] is not None and leg.ranks[0]["closed"]


SAVED_THEN_DRAWN = """
    for step in range(6):
        model(torch.randn(2, 4)).sum().backward()
        optimizer.step(); optimizer.zero_grad()
        if step == 1:
            torch.save(torch.get_rng_state(), os.path.join(out, "ck.pt"))
            torch.rand(3)
"""


def test_a_save_tells_the_streams_of_its_moment(trainers):
    import torch

    from samestep.tensors import digest_of

    leg = trainers.record(trainers.script(HEAD + SAVED_THEN_DRAWN))
    (event,) = leg.events("save")
    saved = digest_of(torch.load(leg.out / "ck.pt"))
    assert event["completed"] == 2
    assert event["before"]["rng/torch.cpu"] == saved
    assert "parameters" not in event["before"] and "after" not in event
    assert leg.capture["rng/torch.cpu"]["digest"] != saved


FETCHED_AFTER_THE_SAVE = """
    class Feed:
        def __init__(self):
            self.pos = 0
        def next(self):
            self.pos += 2
            return data[self.pos // 2]
    feed = Feed()
    for step in range(6):
        model(feed.next()).square().mean().backward()
        optimizer.step(); optimizer.zero_grad()
        torch.save(feed.pos, os.path.join(out, f"ck{step}.pt"))
"""


def test_a_save_tells_where_the_data_were(trainers):
    leg = trainers.record(trainers.script(HEAD + FETCHED_AFTER_THE_SAVE))
    marks = {event["completed"]: event.get("undeclared") for event in leg.events("save")}
    path = "dataloader/feed/pos"
    from samestep.tensors import digest_of

    assert leg.capture[path]["digest"] == digest_of(6), "a batch was fetched since the save"
    assert marks[1] is None, "a save of another step than the captured one costs no search"
    assert marks[2].keys() <= leg.capture.keys()
    assert marks[2][path] == digest_of(4)
    assert marks[2]["optimizer/param_groups/0/lr"] == digest_of(0.01)


UNPICKLED = """
    whole = os.path.join(out, "whole.pt")
    torch.save((model, optimizer), whole)
    model, optimizer = torch.load(whole, weights_only=False)
    for step in range(6):
        model(data[step]).square().mean().backward()
        optimizer.step(); optimizer.zero_grad()
"""


def test_a_model_and_an_optimizer_that_come_out_of_a_file_as_a_whole(trainers):
    leg = trainers.record(trainers.script(HEAD + UNPICKLED))
    assert [completed for completed, phase in leg.begins if phase == "begin"] == [0, 1, 2, 3, 4]
    assert "optimizer/state/0.weight/exp_avg" in leg.capture
    assert "optimizer.1/param_groups/0/lr" not in leg.capture


REPLACED = """
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    model.load_state_dict(model.state_dict(), assign=True)
    for step in range(6):
        model(data[step]).square().mean().backward()
        optimizer.step(); optimizer.zero_grad()
"""


def test_a_model_whose_parameters_were_replaced_begins_its_steps_all_the_same(trainers):
    kept = trainers.record(
        trainers.script(HEAD + REPLACED.replace("assign=True", "assign=False")), name="kept", at=0
    )
    leg = trainers.record(trainers.script(HEAD + REPLACED), at=0)
    assert "optimizer/param_groups/0/params" in leg.capture
    unseeded = {"rng/python", "rng/numpy", "rng/numpy/pos"}
    assert kept.differs_from(leg) - unseeded == {"optimizer/param_groups/0/params"}
    assert leg.begins[0] == (0, "begin") and leg.events("recorder_error") == []


LOOKED_AT_BEFORE_THE_SAVE = """
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(6):
        model(data[step]).square().mean().backward()
        optimizer.step(); optimizer.zero_grad()
        model(data[30 + step])  # neither eval() nor no_grad()
        if step == 1:
            torch.save(torch.get_rng_state(), os.path.join(out, "ck.pt"))
"""


@pytest.mark.parametrize("plan", [{}, {"at": None, "checkpoint": "ck.pt"}], ids=["at", "appears"])
def test_a_forward_between_step_and_save_is_no_begin(plan, trainers):
    import torch

    from samestep.tensors import digest_of

    leg = trainers.record(trainers.script(HEAD + LOOKED_AT_BEFORE_THE_SAVE), **plan)
    assert leg.ranks[0]["capture"]["completed"] == 2
    assert leg.capture["rng/torch.cpu"]["digest"] == digest_of(torch.load(leg.out / "ck.pt"))
    assert leg.events("recorder_error") == []
