"""Captures written beside the step: equal to those of the foreground, or refused."""

import json
import subprocess

import pytest
import torch

from samestep._core import Session
from samestep.entry import Entry, Group
from samestep.lent import Changed, Lent, may_lend
from samestep.writer import Writer

HEAD = """
    import hashlib, os, sys, torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 600), nn.BatchNorm1d(600), nn.Dropout(0.5),
                          nn.Linear(600, 300), nn.Linear(300, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    def loss_of():
        return model(torch.randn(8, 64)).square().sum()
    def tell():
        state = [*model.state_dict().values()]
        state += [s for slots in optimizer.state.values() for s in slots.values()]
        print(hashlib.sha256(b"".join(t.numpy().tobytes() for t in state)).hexdigest())
"""
PLAIN = """
    for step in range(5):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
    tell()
"""
LATE_ZERO = """
    for step in range(5):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tell()
"""
ACCUMULATION = """
    for step in range(5):
        for part in range(3):
            loss_of().backward()
            if part == 0:
                torch.save(model.state_dict(), sys.argv[1] + "/checkpoint.pt")
        optimizer.step()
        optimizer.zero_grad()
    tell()
"""
TWO_OPTIMIZERS = """
    first, second = list(model.parameters())[:4], list(model.parameters())[4:]
    optimizer = torch.optim.AdamW(first, lr=0.1)
    other = torch.optim.SGD(second, lr=0.1, momentum=0.9)
    for step in range(5):
        loss_of().backward()
        other.step()
        optimizer.step()
        other.zero_grad()
        optimizer.zero_grad()
    tell()
"""
CLOSURE = """
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.01, max_iter=2)
    def closure():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        return loss
    for step in range(5):
        loss_of()
        optimizer.step(closure)
"""
SCALED = """
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    for step in range(6):
        loss = loss_of() * (float("inf") if step == 2 else 1.0)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    tell()
"""
CAUGHT = """
    for step in range(6):
        try:
            loss = loss_of()
            if step == 2:
                raise RuntimeError("a bad batch")
        except RuntimeError:
            continue
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    tell()
"""
OWN_OPTIMIZER = """
    class Descent:
        def __init__(self, parameters):
            self.parameters = list(parameters)
            self.speed = [torch.zeros_like(p) for p in self.parameters]
        def zero_grad(self):
            for p in self.parameters:
                p.grad = None
        def step(self):
            with torch.no_grad():
                for p, speed in zip(self.parameters, self.speed):
                    speed.mul_(0.9).add_(p.grad)
                    p.sub_(0.01 * speed)
    del optimizer
    own = Descent(model.parameters())
    for step in range(5):
        loss_of().backward()
        own.step()
        own.zero_grad()
"""
LOADED = """
    for step in range(5):
        loss_of()
        if step == 2:
            model.load_state_dict({k: v + 1 for k, v in model.state_dict().items()})
            optimizer.load_state_dict(optimizer.state_dict())
        loss_of().backward()
        optimizer.step()
        optimizer.zero_grad()
    tell()
"""
FORKED = """
    import multiprocessing
    for step in range(5):
        loss = loss_of()
        child = multiprocessing.get_context("fork").Process(target=print, args=("child",))
        child.start()
        child.join()
        assert child.exitcode == 0
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    tell()
"""
TRAINERS = {
    "plain": PLAIN, "late_zero": LATE_ZERO, "accumulation": ACCUMULATION, "closure": CLOSURE,
    "two_optimizers": TWO_OPTIMIZERS, "scaled": SCALED, "caught": CAUGHT, "loaded": LOADED,
    "own_optimizer": OWN_OPTIMIZER, "forked": FORKED,
}  # fmt: skip
UNSEEDED = ("rng/python", "rng/numpy")


def without_addresses(fields):
    """Fields but for what differs between any two processes."""
    return {
        path: {key: value for key, value in field.items() if "storage" not in key}
        for path, field in fields.items()
        if not path.startswith(UNSEEDED)
    }


@pytest.mark.parametrize("body", TRAINERS.values(), ids=TRAINERS)
def test_it_is_the_capture_of_the_foreground_and_changes_nothing(body, trainers):
    script = trainers.script(HEAD + body)
    bare = trainers.bare(script)
    legs = {
        background: trainers.record(
            script, name=str(background), background=background, stop=False, trace=False
        )
        for background in (False, True)
    }
    for leg in legs.values():
        assert leg.events("recorder_error") == []
        assert leg.stdout == bare.stdout
        assert leg.ranks[0]["closed"]
    expected, found = legs[False], legs[True]
    assert without_addresses(found.capture) == without_addresses(expected.capture)
    assert found.begins == expected.begins
    assert found.ranks[0]["dead_gradients"] == expected.ranks[0]["dead_gradients"]
    verify = [trainers.samestep, "verify", str(found.folder / "run")]
    subprocess.run(verify, check=True, capture_output=True)


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "loss = loss.sum(); sys.exit()"])
def test_a_trainer_that_ends_before_the_optimizer_steps_leaves_the_capture(end, trainers):
    body = f"""
    for step in range(3):
        loss = loss_of()
        if step == 2:
            {end or "break"}
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    """
    leg = trainers.record(trainers.script(HEAD + body), background=True)
    assert "optimizer/state/0.weight/exp_avg" in leg.capture
    assert leg.ranks[0]["closed"]


EARLY_CHANGES = {
    "clamped": "model[3].weight.clamp_(-0.01, 0.01)",
    "copied": "model[3].weight.copy_(average[3].weight)",
    "averaged": "torch._foreach_lerp_([model[3].weight], [average[3].weight], 0.5)",
    "there_and_back": "kept = model[3].weight.clone(); model[3].weight.zero_(); "
    "model[3].weight.copy_(kept)",
    "other_memory": "model[3].weight.data = model[3].weight.data * 0.5",
    "past_the_versions": "model[3].weight.data.mul_(0.5)",
}


@pytest.mark.parametrize("change", EARLY_CHANGES.values(), ids=EARLY_CHANGES)
def test_a_parameter_that_is_changed_too_early_is_named_and_no_capture_left(change, trainers):
    body = f"""
    import copy
    average = copy.deepcopy(model)
    for step in range(5):
        loss = loss_of()
        with torch.no_grad():
            {change}
        loss_of().backward()
        optimizer.step()
        optimizer.zero_grad()
    tell()
    """
    script = trainers.script(HEAD + body)
    bare = trainers.bare(script)
    leg = trainers.record(script, background=True, stop=False)
    assert leg.ranks[0]["capture"] is None
    (error,) = leg.events("recorder_error")
    assert "model/3.weight" in error["error"] and "after the optimizer's step" in error["error"]
    assert leg.stdout == bare.stdout and leg.ranks[0]["closed"]
    captures = leg.folder / "run/.samestep/captures"
    assert [path for path in captures.rglob("*") if path.is_file()] == []
    in_front = trainers.record(script, name="front", background=False, stop=False)
    assert "model/3.weight" in in_front.capture


def test_a_change_after_the_step_is_none_that_is_too_early(trainers):
    body = """
    for step in range(5):
        loss_of().backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            for p in model.parameters():
                p.clamp_(-0.05, 0.05)
    """
    leg = trainers.record(trainers.script(HEAD + body), background=True)
    assert "model/3.weight" in leg.capture
    assert leg.events("recorder_error") == []


def test_a_full_disk_is_told_and_training_goes_on(trainers):
    body = """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    """
    script = trainers.script(HEAD + body + PLAIN)
    bare = trainers.bare(script)
    leg = trainers.record(script, background=True, stop=False)
    assert leg.ranks[0]["capture"] is None
    (error,) = leg.events("recorder_error")
    assert ".pack" in error["error"]
    assert leg.stdout == bare.stdout and leg.ranks[0]["closed"]


def lent_of(*tensors):
    lent = Lent()
    for number, tensor in enumerate(tensors):
        lent.loans.add(f"model/{number}", tensor)
    return lent


@pytest.fixture
def lend(tmp_path):
    """Writes entries to a record in the background; the paths of those that were lent."""
    plan = {
        "schema": "plan.v1", "leg": "uninterrupted", "run": str(tmp_path / "run"), "start": 0,
        "at": 0, "steps": 1, "trace": False, "log_begins": False, "final_only": False, "out": "",
        "checkpoint": "", "copy_to": "", "stop": False, "stepping": [], "background": True,
    }  # fmt: skip
    (tmp_path / "run").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    session = Session.open(str(tmp_path / "plan.json"), 0, 1)

    def write(lent, *entries):
        session.begin_record(0, "begin", "full")
        writer = Writer(session, lent)
        writer.write(entries)
        writer.lend()
        paths = lent.loans.paths
        session.barrier()
        session.abandon_record()
        lent.clear()
        return paths

    yield write
    session.close()


def test_what_was_settled_may_change_and_what_was_not_may_not():
    tensors = [torch.zeros(3) for _ in range(3)]
    lent = lent_of(*tensors)
    lent.settle(1)
    tensors[0].add_(1)
    lent.settle(2)
    tensors[2].add_(1)
    with pytest.raises(Changed) as raised:
        lent.settle_all()
    assert raised.value.paths == ["model/2"]


def test_a_field_that_was_changed_too_early_is_never_lent_again(lend):
    weight = torch.nn.Parameter(torch.zeros(3))
    entry = Entry(("model", "0"), "parameter", weight)
    lent = lent_of(weight)
    with torch.no_grad():
        weight.add_(1)
    with pytest.raises(Changed):
        lent.settle_all()
    lent.clear()
    assert lend(lent, entry) == []
    assert lend(Lent(), entry) == ["model/0"]


@pytest.mark.parametrize(
    ("path", "role", "kind"),
    [
        (("model", "mean"), "buffer", torch.zeros(3)),
        (("ema", "w"), "average", torch.zeros(3)),
        (("gradients", "w"), "gradient", torch.zeros(3)),
        (("extra", "w"), "parameter", torch.zeros(3)),
        (("model", "w"), "parameter", torch.zeros(3).numpy()),
        (("optimizer", "state", "w", "step"), "step_counter", torch.zeros(())),
    ],
)
def test_only_what_the_optimizer_alone_changes_is_lent(lend, path, role, kind):
    assert lend(Lent(), Entry(path, role, kind)) == []


def test_all_of_several_models_and_of_a_group_is_lent(lend):
    group = Group(("optimizer.1", "state", "w"), "moment", {"a/b": torch.zeros(3)}, {})
    entry = Entry(("model.1", "w"), "parameter", torch.zeros(3))
    assert lend(Lent(), group, entry) == ["optimizer.1/state/w/a~1b", "model.1/w"]


def test_a_tensor_without_versions_is_not_lent(lend):
    with torch.inference_mode():
        tensor = torch.zeros(3)
    assert lend(Lent(), Entry(("model", "w"), "parameter", tensor)) == []


def test_nothing_of_a_wrapper_that_frees_parameters_is_lent():
    class FullyShardedDataParallel(torch.nn.Module):
        pass

    plain = torch.nn.Linear(2, 2)
    assert may_lend(plain.modules())
    assert not may_lend(torch.nn.Sequential(plain, FullyShardedDataParallel()).modules())
