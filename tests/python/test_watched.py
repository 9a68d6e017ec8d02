"""samestep.watch: state that no search can reach is recorded, and audited, under its own name."""

import pytest
import torch

from samestep import watch, watched
from samestep._core import digest_value
from samestep.discovery.named import components_in, declared_in
from samestep.guard import take_noted
from samestep.probes.watched import watched_entries

# The stream's position is a C iterator's; the pace is a number that only a closure of builtins
# holds: no attribute, no variable of the loop leads to either.
UNREACHABLE = """
    import itertools, os, sys, torch
    from torch import nn
    import samestep

    OUT, FAULT, RESUME = sys.argv[1], sys.argv[2], (sys.argv[3:] or [None])[0]

    class Stream:
        __slots__ = ("_take", "state_dict", "load_state_dict")
        def __init__(self):
            hidden = {0: itertools.count()}
            def state_dict():
                return {"position": hidden[0].__reduce__()[1][0]}
            def load_state_dict(state):
                hidden[0] = itertools.count(state["position"])
            self._take = lambda: next(hidden[0])
            self.state_dict, self.load_state_dict = state_dict, load_state_dict

    def make_pace():
        values = memoryview(bytearray(8)).cast("d")
        values[0] = 1.0
        return lambda: values[0], lambda pace: values.__setitem__(0, pace)

    torch.manual_seed(1 if RESUME is None else 9)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    stream, (get_pace, set_pace), step = Stream(), make_pace(), 0
    samestep.watch(model=model, optimizer=optimizer, cursor=stream, pace=(get_pace, set_pace))
    if RESUME is not None:
        state = torch.load(RESUME)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        if FAULT != "cursor":
            stream.load_state_dict(state["cursor"])
        if FAULT != "pace":
            set_pace(state["pace"])
    while step < 6:
        x = torch.full((4, 2), 0.01 * stream.state_dict()["position"]) * get_pace()
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stream._take()
        set_pace(get_pace() * 0.9)
        step += 1
        if step == 3:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step,
                     "cursor": stream.state_dict(), "pace": get_pace()}
            torch.save(state, os.path.join(OUT, "checkpoint.pt"))
"""


@pytest.mark.parametrize(
    ("fault", "field"),
    [("none", None), ("cursor", "extra/cursor/position"), ("pace", "extra/pace")],
)
def test_what_is_watched_is_audited(fault, field, trainers):
    audit = trainers.audit(trainers.script(UNREACHABLE), args=(fault,))
    if field is None:
        audit.assert_same()
        assert {"extra/cursor/position", "extra/pace"} <= audit.captured("resumed").keys()
    else:
        assert audit.code == 1 and audit.verdict == "diverged"
        assert audit.blamed.get(field) in ("not_applied", "lost_after_save")


class Duck:
    """Nothing of PyTorch, with state that a state dict tells, and some that it forgets."""

    def __init__(self):
        self.position, self.forgotten = 3, 4

    def state_dict(self):
        return {"position": self.position, "deep": {"list": [1, 2.5]}}

    def load_state_dict(self, state):
        self.position = state["position"]


def fields(path, thing):
    return {entry.text(): entry.value for entry in watched_entries(path, thing)}


def test_what_tells_its_state_is_asked():
    assert fields(("extra", "cursor"), Duck()) == {
        "extra/cursor/position": 3, "extra/cursor/deep/list/0": 1, "extra/cursor/deep/list/1": 2.5,
    }  # fmt: skip
    assert fields(("extra", "n"), lambda: 7) == {"extra/n": 7}
    assert fields(("extra", "n"), (lambda: 7, print)) == {"extra/n": 7}
    assert fields(("extra", "n"), {"a": 1, "b": (True, "text")}) == {
        "extra/n/a": 1, "extra/n/b/0": True, "extra/n/b/1": "text",
    }  # fmt: skip


def test_a_getter_that_raises_is_noted():
    take_noted()

    def broken():
        raise RuntimeError("not now")

    assert fields(("extra", "n"), broken) == {}
    noted = take_noted()
    assert len(noted) == 1 and "watched extra/n" in noted[0] and "not now" in noted[0]


def test_components_go_by_their_kind_and_the_rest_is_declared():
    model = torch.nn.Linear(2, 1)
    adam = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(adam, 2)
    duck, scaler = Duck(), torch.amp.GradScaler("cpu")
    parts = {"model": [torch.nn.DataParallel(model)], "optimizer": adam, "scheduler": schedule,
             "scaler": scaler, "cursor": duck, "more": 3, "loader": duck}  # fmt: skip
    found = components_in(parts)
    assert found == {"model": [model], "optimizer": [adam], "lr_scheduler": [schedule],
                     "grad_scaler": [scaler], "dataloader": []}  # fmt: skip
    assert declared_in(parts) == [
        (("extra", "cursor"), duck), (("extra", "more"), 3), (("dataloader",), duck)
    ]  # fmt: skip
    assert components_in({"optimizer": duck}) == {"optimizer": []}
    assert declared_in({"optimizer": duck}) == [(("optimizer",), duck)]


RECORDED = """
    import sys, torch
    from torch import nn
    import samestep

    class Cursor:
        def __init__(self):
            self.position, self.forgotten = 0, 5
        def state_dict(self):
            return {"position": self.position}

    def broken():
        raise RuntimeError("no state here")

    torch.manual_seed(0)
    first, second = nn.Linear(4, 2), nn.Linear(2, 1)
    optimizer = torch.optim.AdamW([*first.parameters(), *second.parameters()], lr=0.1)
    cursor = Cursor()
    samestep.watch(model=[second, first], optimizer=optimizer, cursor=cursor, bad=broken)
    for step in range(6):
        samestep.watch(step=step)
        cursor.position += 2
        second(first(torch.randn(3, 4))).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def test_a_recorded_trainer_has_the_names_it_gave(trainers):
    leg = trainers.record(trainers.script(RECORDED))
    position = leg.capture["extra/cursor/position"]
    assert position["traits"]["declared"] == "state_dict"
    assert leg.capture["extra/cursor/forgotten"]["traits"]["declared"] == "attribute"
    assert leg.capture["extra/step"]["digest"] == digest_value(2)
    assert "model/weight" in leg.capture and "model.1/weight" in leg.capture
    assert list(leg.capture["model/weight"]["shape"]) == [1, 2]
    assert [e["where"] for e in leg.events("recorder_error")] == ["watched extra/bad"]
    assert leg.begins[-1] == (4, "begin")


def test_without_a_plan_nothing_is_kept(monkeypatch):
    monkeypatch.delenv("SAMESTEP_PLAN", raising=False)
    watch(thing=object())
    assert watched.watched == {}
