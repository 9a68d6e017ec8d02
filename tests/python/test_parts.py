"""What the search found is sorted into the components of a training."""

import pytest
import torch
from support import searching
from support.searching import Plain, found_in
from torch import nn

from samestep.discovery import words
from samestep.discovery.attributes import saved_names
from samestep.discovery.parts import parts_of
from samestep.entry import singly
from samestep.fields import fields_of


@pytest.fixture(autouse=True)
def this_file_is_a_trainer(monkeypatch):
    searching.make_a_trainer(monkeypatch, __name__)


def parts_in(**variables):
    return parts_of(found_in(**variables), {}, None)


def optimizer_of(*modules):
    return torch.optim.SGD([p for m in modules for p in m.parameters()], lr=0.1)


class Ema(Plain):
    pass


class Keeper(Plain):
    pass


def test_the_trained_model_comes_first_and_others_are_numbered():
    frozen, model = nn.Linear(2, 2), nn.Linear(3, 3)
    parts = parts_in(frozen=frozen, model=model, optimizer=optimizer_of(model))
    assert parts.modules == {"model": model, "model.1": frozen}


@pytest.mark.parametrize("build", ["module", "dictionary", "list"])
def test_averages_are_known_by_what_they_hold(build):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    copies = [parameter.detach().clone() for parameter in model.parameters()]
    names = [name for name, _ in model.named_parameters()]
    import copy

    ema = {
        "module": Ema(module=copy.deepcopy(model), updates=4),
        "dictionary": Ema(shadow=dict(zip(names, copies, strict=True)), updates=4),
        "list": Ema(shadow_params=copies, updates=4),
    }[build]
    parts = parts_in(model=model, ema=ema, optimizer=optimizer_of(model))
    assert list(parts.averages) == ["ema"] and list(parts.modules) == ["model"]
    assert (("updates",), 4) in parts.averages["ema"].holder.leaves
    assert parts.holders == []


def test_an_optimizer_of_tensors_that_nothing_holds_is_detached():
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    optimizer = optimizer_of(model)
    held = parts_in(model=model, optimizer=optimizer)
    assert held.detached.groups == {}
    model[1] = nn.Linear(3, 1)
    parts = parts_in(model=model, optimizer=optimizer)
    assert parts.detached.groups == {"optimizer": [2]}
    slots = [parts.names.slots[id(p)] for p in optimizer.param_groups[0]["params"]]
    assert slots == ["0.weight", "0.bias", "1.weight", "1.bias"]
    entries = {entry.text(): entry.value for entry in singly(fields_of(parts))}
    assert entries["optimizer/param_groups/0/params"] == 2


def test_a_model_that_took_the_place_of_a_trained_one_is_the_trained_one():
    target, model = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    optimizer = optimizer_of(model)
    model.load_state_dict(model.state_dict(), assign=True)
    parts = parts_in(target=target, model=model, optimizer=optimizer)
    assert parts.modules == {"model": model, "model.1": target}
    assert set(parts.names.slots.values()) == {"0.weight", "0.bias", "1.weight", "1.bias"}


def test_tensors_that_some_variable_holds_are_not_detached():
    weights = {"in": {"w": torch.zeros(2, requires_grad=True)}}
    optimizer = torch.optim.SGD([weights["in"]["w"]], lr=0.1)
    parts = parts_in(weights=weights, optimizer=optimizer)
    assert parts.detached.groups == {} and list(parts.loose) == ["weights.in.w"]


def test_optimizers_of_one_model_are_numbered_by_its_parameters():
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    first, last = (optimizer_of(module) for module in model)
    for variables in ({"some": {"a": last, "b": first}}, {"o": last, "some": [first, last]}):
        parts = parts_in(model=model, **variables)
        assert parts.optimizers == {"optimizer": first, "optimizer.1": last}


class Rate(Plain):
    def __call__(self, epoch):
        return 1.0


def test_the_state_of_a_rate_is_told_by_its_schedule_alone():
    model, rate = nn.Linear(2, 2), Rate(calls=3)
    optimizer = optimizer_of(model)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    parts = parts_in(model=model, optimizer=optimizer, schedule=schedule, rate=rate)
    assert parts.holders == []
    paths = [entry.text() for entry in singly(fields_of(parts))]
    assert [path for path in paths if path.endswith("calls")] == ["lr_scheduler/lr_lambdas/0/calls"]


def test_a_snapshot_is_no_average():
    import copy

    model = nn.Linear(2, 2)
    keeper = Keeper(held={"model": copy.deepcopy(model.state_dict()), "step": 4})
    parts = parts_in(model=model, keeper=keeper, optimizer=optimizer_of(model))
    assert parts.averages == {}
    best = copy.deepcopy(model)
    parts = parts_in(model=model, best=best, optimizer=optimizer_of(model))
    assert parts.averages == {} and parts.copies == [(("best",), best)]


def test_trained_tensors_outside_of_modules_are_named_by_their_variable():
    temperature = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([temperature], lr=0.1)
    parts = parts_in(log_alpha=temperature, optimizer=optimizer)
    assert parts.loose == {"log_alpha": temperature}
    assert parts.names.slots[id(temperature)] == "log_alpha"


class WarmupSchedule(Plain):
    pass


class LossScaler(Plain):
    pass


class ShardSampler(Plain):
    pass


class Progress(Plain):
    def state_dict(self):
        raise AssertionError("a state dict was asked for")

    def load_state_dict(self, state):
        raise AssertionError("a state dict was loaded")


def test_plain_objects_belong_to_the_component_that_they_serve():
    model = nn.Linear(1, 1)
    optimizer = optimizer_of(model)
    parts = parts_in(
        optimizer=optimizer,
        schedule=WarmupSchedule(optimizer=optimizer, done=3),
        scaler=LossScaler(scale=8.0),
        sampler=ShardSampler(position=2),
        progress=Progress(step=1),
        curriculum=Plain(rung=1),
    )
    components = {holder.path[0]: component for component, holder in parts.holders}
    assert components == {
        "schedule": "lr_scheduler", "scaler": "grad_scaler", "sampler": "dataloader",
        "progress": "extra", "curriculum": "loop",
    }  # fmt: skip


def test_names_of_classes_are_read_by_words():
    assert words.words_of("LRScheduler") == words.words_of("lr_scheduler") == ("lr", "scheduler")
    assert all(map(words.says_schedule, ("WarmupLR", "NoamDecay", "CosineAnnealing", "LrPolicy")))
    assert not any(map(words.says_schedule, ("SSLRunner", "MLRunner", "AtariRLRecipe")))
    assert all(map(words.says_loss_scaler, ("LossScaler", "NativeScalerWithGradNorm", "Scaler")))
    assert not any(map(words.says_loss_scaler, ("RewardScaler", "MultiScaleX", "StandardScaler")))
    assert all(map(words.says_loader, ("TokenStream", "ReplayBuffer", "MyDataLoader", "Batcher")))
    assert not any(map(words.says_loader, ("Metadata", "Downstreamer", "Trainer")))
    assert all(map(words.says_average, ("EMA", "ModelEma", "WeightAverager", "MeanTeacher")))
    assert not any(
        map(words.says_average, ("SchemaX", "Semaphore", "Schematic", "SemanticTrainer"))
    )
    assert all(map(words.says_average, ("emamodel", "avg_model", "netEMA", "ema1", "shadow")))


class SSLRunner(Plain):
    pass


class EMATrainer(Plain):
    pass


class ModelEma(Plain):
    pass


def parts_with(**variables):
    return parts_of(found_in(**variables), {}, None)


def test_a_trainer_is_no_schedule_and_its_numbers_are_not_its_averages():
    model, average = nn.Linear(4, 4), nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for kind in (SSLRunner, EMATrainer, Plain):
        trainer = kind(model=model, optimizer=optimizer, ema_model=average, meter=3)
        parts = parts_with(trainer=trainer)
        assert parts.averages["ema"].module is average
        assert parts.averages["ema"].holder is None
        assert [(component, holder.thing) for component, holder in parts.holders] == [
            ("loop", trainer)
        ]
    follower = ModelEma(model=model, copy=average, updates=3)
    parts = parts_with(model=model, optimizer=optimizer, follower=follower)
    assert parts.averages["ema"].holder.thing is follower


def test_velocities_of_an_optimizer_written_by_hand_are_no_average():
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    momentum = Plain(velocities=[torch.zeros(4, 4), torch.zeros(4)])
    assert parts_with(model=model, optimizer=optimizer, momentum=momentum).averages == {}
    target = nn.Linear(4, 4)
    parts = parts_with(model=model, optimizer=optimizer, target_net=target)
    assert parts.averages["ema"].module is target


def test_a_trainers_own_shadow_weights_are_an_average_without_its_numbers():
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    shadow = {name: value.detach().clone() for name, value in model.named_parameters()}
    trainer = EMATrainer(model=model, optimizer=optimizer, shadow=shadow, meter=3)
    parts = parts_with(trainer=trainer)
    assert [place for place, _ in parts.averages["ema"].holder.leaves] == [
        ("shadow", "weight"),
        ("shadow", "bias"),
    ]
    (left,) = [holder for _, holder in parts.holders]
    assert [place for place, _ in left.leaves] == [("meter",)]


def test_a_dict_of_averages_is_known_by_its_attributes_name():
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    weights = {name: value.detach().clone() for name, value in model.named_parameters()}
    trainer = Plain(model=model, optimizer=optimizer, ema=weights, best=dict(weights), meter=3)
    parts = parts_with(t=trainer)
    (average,) = parts.averages.values()
    assert [place for place, _ in average.holder.leaves] == [("weight",), ("bias",)]
    (left,) = [holder for _, holder in parts.holders]
    assert [place for place, _ in left.leaves] == [
        ("meter",),
        ("best", "weight"),
        ("best", "bias"),
    ]


class Stopper:
    def __init__(self):
        self.count, self.shown, self.nested = 0, 0, 0

    def state_dict(self):
        def inner():
            return self.nested

        return {"count": self.count, "more": inner()}

    def load_state_dict(self, state):
        raise AssertionError("nothing runs it")


class Everything(Stopper):
    def state_dict(self):
        return dict(self.__dict__)


def test_what_a_state_dict_reads_is_known_from_its_code():
    saved = saved_names(Stopper)
    assert {"count", "nested"} <= saved and "shown" not in saved
    assert saved_names(Everything) is None
    assert saved_names(Plain) == saved_names(type(None)) == frozenset()
