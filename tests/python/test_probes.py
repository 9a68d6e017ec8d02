"""Probes read what state dicts say, and what they leave out, without changing anything."""

import collections
import random
import sys
import types

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler, swa_utils

from samestep.discovery.found import Holder
from samestep.entry import flatten, packed
from samestep.probes.dataloader import loader_entries, sampler_entries
from samestep.probes.grad_scaler import scaler_entries
from samestep.probes.gradients import gradient_entries
from samestep.probes.lr_scheduler import scheduler_entries
from samestep.probes.model import TOO_LARGE, model_entries
from samestep.probes.optimizer import optimizer_entries
from samestep.probes.plain import scope_entries
from samestep.probes.rng import generator_entries, global_stream_entries


def fields(entries):
    """Path text -> entry; no path comes twice."""
    listed = list(entries)
    by_path = {entry.text(): entry for entry in listed}
    assert len(by_path) == len(listed)
    return by_path


def equal(a, b):
    return torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b


def test_a_partitioned_parameter_is_its_partition_whether_it_is_gathered_or_not(monkeypatch):
    """Of DeepSpeed's ZeRO-3: what a rank keeps is ds_tensor."""
    monkeypatch.setitem(sys.modules, "deepspeed", types.ModuleType("deepspeed"))
    layer = nn.Linear(4, 2)
    whole, part = layer.weight.detach().clone(), torch.arange(4.0)
    layer.weight.ds_tensor, layer.bias.ds_tensor = part, torch.empty(0)
    for elements in (whole, torch.empty(0)):
        layer.weight.data = elements
        found = fields(model_entries("model", layer))
        assert equal(found["model/weight"].value, part)
        assert found["model/bias"].value is layer.bias  # its partition lies on a disk


OPTIMIZERS = {
    name: kind
    for name, kind in vars(torch.optim).items()
    if isinstance(kind, type)
    and issubclass(kind, torch.optim.Optimizer)
    and name not in ("Optimizer", "SparseAdam", "Muon")
}


def stepped(kind, **options):
    """A model after two steps of an optimizer of this kind."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    optimizer = kind(model.parameters(), **options)

    def closure():
        optimizer.zero_grad()
        loss = model(torch.ones(2, 3)).square().sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return model, optimizer


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_has_the_fields_of_its_state_dict(name):
    model, optimizer = stepped(OPTIMIZERS[name], **({"lr": 0.1} if name == "SGD" else {}))
    names = {id(p): n for n, p in model.named_parameters()}
    found = fields(optimizer_entries("optimizer", optimizer, lambda p: names[id(p)]))
    state = optimizer.state_dict()
    named = {"state": {}, "param_groups": []}
    order = [n for n, _ in model.named_parameters()]
    for index, slots in state["state"].items():
        named["state"][order[index]] = slots
    named["param_groups"] = [
        {k: v for k, v in g.items() if k != "params"} for g in state["param_groups"]
    ]
    expected = fields(flatten(("optimizer",), named, "moment", {}))
    assert found.keys() == expected.keys()
    assert all(equal(found[path].value, expected[path].value) for path in found)


def test_slots_carry_their_index_form_and_role():
    model, optimizer = stepped(torch.optim.AdamW)
    names = {id(p): n for n, p in model.named_parameters()}
    found = fields(optimizer_entries("optimizer", optimizer, lambda p: names[id(p)]))
    slot = found["optimizer/state/2.weight/exp_avg"]
    assert slot.traits["place"] == "optimizer/state/2/exp_avg" and slot.role == "moment"
    assert slot.traits["owner"] == "torch.optim.adamw.AdamW"
    assert found["optimizer/state/2.weight/step"].role == "step_counter"
    assert found["optimizer/param_groups/0/lr"].role == "hyperparameter"


def test_slots_of_parameters_without_a_name_have_the_index():
    _, optimizer = stepped(torch.optim.Adam)
    assert "optimizer/state/3/exp_avg" in fields(
        optimizer_entries("optimizer", optimizer, lambda p: None)
    )


def test_a_fresh_optimizer_gets_no_slots_by_being_read():
    model = nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    fields(optimizer_entries("optimizer", optimizer, lambda p: None))
    assert len(optimizer.state) == 0


def test_plain_attributes_of_an_optimizer_are_read():
    _, optimizer = stepped(torch.optim.Adam)
    optimizer.updates = 7
    found = fields(optimizer_entries("optimizer", optimizer, lambda p: None))
    assert found["optimizer/updates"].traits["declared"] == "attribute"


def schedulers():
    make = lambda: torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1, momentum=0.9)
    step = lr_scheduler
    yield "StepLR", step.StepLR(make(), 2)
    yield "MultiStepLR", step.MultiStepLR(make(), [2, 4])
    yield "CosineAnnealingLR", step.CosineAnnealingLR(make(), 10)
    yield "CosineWarmRestarts", step.CosineAnnealingWarmRestarts(make(), 3)
    yield "OneCycleLR", step.OneCycleLR(make(), 0.2, total_steps=10)
    yield "CyclicLR", step.CyclicLR(make(), 0.1, 0.2)
    yield "LambdaLR", step.LambdaLR(make(), lambda n: 0.9**n)
    yield "PolynomialLR", step.PolynomialLR(make(), 5)
    yield "LinearLR", step.LinearLR(make())
    yield "ReduceLROnPlateau", step.ReduceLROnPlateau(make(), patience=1)
    optimizer = make()
    parts = [step.LinearLR(optimizer), step.ExponentialLR(optimizer, 0.9)]
    yield "SequentialLR", step.SequentialLR(optimizer, parts, [2])
    optimizer = make()
    yield "ChainedScheduler", step.ChainedScheduler([step.ConstantLR(optimizer)], optimizer)


@pytest.mark.parametrize(("name", "scheduler"), list(schedulers()), ids=lambda v: str(v)[:20])
def test_a_scheduler_has_the_fields_of_its_state_dict(name, scheduler):
    for step in range(3):
        scheduler.optimizer.step()
        scheduler.step(*([1.0 + step] if name == "ReduceLROnPlateau" else []))
    found = fields(scheduler_entries(("lr_scheduler",), scheduler))
    state = {k: v for k, v in scheduler.state_dict().items() if not callable(v)}
    expected = fields(flatten(("lr_scheduler",), state, "schedule", {}))
    assert expected.keys() <= found.keys(), expected.keys() - found.keys()
    assert all(equal(found[path].value, expected[path].value) for path in expected)


@pytest.mark.parametrize("used", [False, True])
def test_a_scaler_has_the_fields_of_its_state_dict(used):
    scaler = torch.amp.GradScaler("cpu", init_scale=64.0, growth_interval=5)
    if used:
        model = nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler.scale(model(torch.ones(1, 1)).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    found = fields(scaler_entries("grad_scaler", scaler))
    assert {p.partition("/")[2]: e.value for p, e in found.items()} == scaler.state_dict()
    assert used or scaler._scale is None
    disabled = torch.amp.GradScaler("cpu", enabled=False)
    assert fields(scaler_entries("grad_scaler", disabled)) == {}


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen, self.rates, self.table = 3, [0.1, 0.2], {"a": 1}
        self.weight = nn.Parameter(torch.ones(2))
        self.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
        self.register_buffer("kept", torch.zeros(1))
        self.register_buffer("lost", torch.zeros(1), persistent=False)
        self.running = torch.zeros(2)
        self.drop = nn.Dropout(0.3)


def test_a_module_is_read_beyond_its_state_dict():
    found = fields(model_entries("model", nn.Sequential(Counting().eval())))
    declared = {path: entry.traits["declared"] for path, entry in found.items()}
    assert declared["model/0.weight"] == "parameter"
    assert declared["model/0.kept"] == "buffer"
    assert declared["model/0.lost"] == "buffer_nonpersistent"
    plain = {p: e.value for p, e in found.items() if declared[p] == "attribute"}
    assert torch.equal(plain.pop("model/0.running"), torch.zeros(2))
    assert plain == {
        "model/training": True, "model/0.training": False, "model/0.drop.training": False,
        "model/0.seen": 3, "model/0.rates": [0.1, 0.2], "model/0.table.a": 1,
        "model/0.drop.p": 0.3, "model/0.drop.inplace": False, "model/0.frozen.requires_grad": False,
    }  # fmt: skip


def test_tied_weights_are_there_under_both_names():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    found = fields(model_entries("model", model))
    first, second = found["model/0.weight"].memory(), found["model/1.weight"].memory()
    assert first.storage == second.storage


def test_an_average_keeps_the_names_of_the_model():
    from samestep.discovery.averages import Average
    from samestep.probes.ema import average_entries

    averaged = swa_utils.AveragedModel(nn.Sequential(nn.Linear(2, 2)))
    found = fields(average_entries("ema", Average(averaged)))
    assert {"ema/0.weight", "ema/0.bias", "ema/n_averaged"} <= found.keys()
    assert all(entry.role == "average" for entry in found.values())


def test_gradients_are_there_when_they_are():
    model = nn.Linear(2, 1)
    assert fields(gradient_entries({"model": model})) == {}
    model(torch.ones(1, 2)).sum().backward()
    assert fields(gradient_entries({"model": model})).keys() == {
        "gradients/weight", "gradients/bias",
    }  # fmt: skip


def test_what_a_trainer_puts_on_a_stock_module_is_state():
    model = nn.Sequential(nn.Conv1d(1, 1, 3), nn.LSTM(2, 2))
    model.seen = 4
    found = fields(model_entries("model", model))
    assert found["model/seen"].value == 4
    assert not {path for path in found if "kernel_size" in path or "hidden_size" in path}
    assert not {path for path in found if "flat_weights" in path}


def test_rows_of_tensors_on_a_module_are_state():
    class Remembers(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.memory = collections.deque([torch.ones(2), torch.zeros(2)], maxlen=2)
            self.hidden = [torch.ones(1)]
            self.tied = [self.layer.weight]

    found = fields(model_entries("model", Remembers()))
    assert {"model/memory.0", "model/memory.1", "model/hidden.0"} <= found.keys()
    assert not {path for path in found if path.startswith("model/tied")}


def test_what_a_module_nests_is_state():
    class Keeps(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.hidden = ((torch.ones(1), torch.zeros(1)),)
            self.prototypes = {"cat": torch.ones(2), "own": self.layer.weight}
            self.table = {"a": {"b": [1, 2.5]}}
            self.losses = [0.5] * 100
            self.config = types.SimpleNamespace(tau=0.1)
            self.replay = collections.deque([(torch.ones(1), 1)] * 100)
            self.cache = torch.empty(5 << 20)

    found = fields(model_entries("model", Keeps()))
    plain = {
        path.removeprefix("model/"): entry.value
        for path, entry in found.items()
        if entry.traits["declared"] == "attribute" and "training" not in path
    }
    assert plain.pop("replay").startswith("200 values, ")
    assert plain.pop("cache") is TOO_LARGE
    assert plain == {
        "hidden.0.0": torch.ones(1), "hidden.0.1": torch.zeros(1), "table.a.b.0": 1,
        "table.a.b.1": 2.5, "losses": [0.5] * 100, "config.tau": 0.1,
        "prototypes.cat": plain["prototypes.cat"],
    }  # fmt: skip


def test_variables_are_read_to_the_bottom_but_for_copies_of_weights():
    row = torch.ones(2)
    leaves = {
        ("queue",): torch.ones(128, 64),
        ("state", "opt", "m", "0.weight"): row,
        ("file", "model", "0.weight"): row,
        ("file", "model", "0.running_mean"): row,
        ("file", "step"): 3,
        ("data",): torch.ones(70_000),
        ("loss",): torch.ones(1, requires_grad=True) * 2,
    }
    scope = Holder(("main",), None, list(leaves.items()))
    found = fields(scope_entries([scope], {"0.weight"}))
    assert found.keys() == {"loop/queue", "loop/state/opt/m/0.weight", "loop/file/step"}


def test_a_gradient_that_nothing_steps_with_is_told():
    model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    model[1].weight.requires_grad_(False)
    found = fields(gradient_entries({"model": model}, {"optimizer": optimizer}))
    owners = {path: entry.traits.get("owner") for path, entry in found.items()}
    assert owners == {
        "gradients/0.weight": None, "gradients/0.bias": None,
        "gradients/1.weight": "none", "gradients/1.bias": None,
    }  # fmt: skip


def test_global_streams_are_read_without_a_draw():
    torch.manual_seed(5), random.seed(5), np.random.seed(5)
    before = [torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()]
    first, second = fields(global_stream_entries()), fields(global_stream_entries())
    assert all(first[path].digest() == second[path].digest() for path in first)
    after = [torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()]
    assert torch.equal(before[0], after[0]) and before[1:] == after[1:]
    assert {"rng/torch.cpu", "rng/python", "rng/numpy", "rng/numpy/pos"} <= first.keys()


def drawn(generator):
    if isinstance(generator, torch.Generator):
        torch.rand(1, generator=generator)
    else:
        generator.random()


@pytest.mark.parametrize(
    "make",
    [
        torch.Generator,
        lambda: np.random.default_rng(1),
        lambda: np.random.Generator(np.random.Philox(1)),
        lambda: np.random.RandomState(1),
        lambda: random.Random(1),
    ],
    ids=["torch", "PCG64", "Philox", "RandomState", "Random"],
)
def test_a_private_generator_moves_only_when_somebody_draws(make):
    generator = make()
    read = lambda: {
        p: e.digest() for p, e in fields(generator_entries(("rng", "g"), generator)).items()
    }
    first = read()
    assert first == read() != {}
    drawn(generator)
    assert first != read()


def test_positions_of_loaders_and_samplers():
    from torch.utils.data import DataLoader, DistributedSampler

    data = list(range(8))
    sampler = DistributedSampler(data, num_replicas=2, rank=0)
    sampler.set_epoch(3)
    loader = DataLoader(data, 2, sampler=sampler)
    found = fields(sampler_entries("dataloader", "sampler", sampler))
    assert {path: entry.value for path, entry in found.items()} == {"dataloader/sampler/epoch": 3}
    assert fields(loader_entries("dataloader", loader)) == {}


def test_the_order_that_a_trainers_own_sampler_keeps_is_its_place(monkeypatch):
    class Mine(torch.utils.data.Sampler):
        def __init__(self):
            self.order, self.seed, self.mask = [3, 1, 2], 7, torch.ones(2)

    monkeypatch.setattr("samestep.probes.dataloader.is_user_class", lambda kind: kind is Mine)
    found = fields(sampler_entries("dataloader", "sampler", Mine()))
    assert found["dataloader/sampler/order"].value == [3, 1, 2]
    assert found["dataloader/sampler/seed"].value == 7 and "dataloader/sampler/mask" in found


def test_a_phase_that_a_trainers_own_module_keeps_is_state(monkeypatch):
    class Mine(nn.Module):
        def __init__(self):
            super().__init__()
            self.phase, self.drop = "warmup", nn.Dropout()
            self.drop.mode = "fan_in"

    monkeypatch.setattr("samestep.probes.model.is_user_class", lambda kind: kind is Mine)
    found = fields(model_entries("model", Mine()))
    assert found["model/phase"].value == "warmup" and "model/drop.mode" not in found
    assert found["model/phase"].traits["text"] == "word"


@pytest.mark.parametrize(
    ("run", "same"),
    [([1, 2], [1, 2]), ((1.0,), [1.0]), ([], None), ([1, 2.0], None), ([True], None),
     ([2**70], None), ({"a": 1}, None)],
)  # fmt: skip
def test_runs_that_can_be_packed(run, same):
    assert packed(run) == same
