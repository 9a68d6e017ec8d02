"""Optimizers that derive from nothing of PyTorch, and what only looks like one."""

import gc

import torch

from samestep import plain_optimizer, registry
from samestep.plain_optimizer import looks_like_one, stand_in_of


class Own:
    def __init__(self, parameters):
        self.parameters = list(parameters)

    def step(self):
        pass

    def zero_grad(self):
        pass


class Wraps(Own):
    def __init__(self, inner):
        self.slots = [Slot(inner)]


class Slot:
    def __init__(self, inner):
        self.inner = inner


def model():
    return torch.nn.Linear(2, 1)


def test_the_methods_tell_and_what_pytorch_knows_is_left_to_it():
    assert looks_like_one(Own) and looks_like_one(Wraps)
    assert not looks_like_one(Slot)
    assert not looks_like_one(torch.optim.SGD) and not looks_like_one(torch.nn.Linear)


def test_an_object_stands_in_with_its_trainable_tensors_and_is_not_kept_alive():
    net = model()
    net.bias.requires_grad_(False)
    own = Own(net.parameters())
    stand_in = stand_in_of(own)
    assert [id(p) for p in stand_in.param_groups[0]["params"]] == [id(net.weight)]
    assert stand_in_of(own) is stand_in
    assert any(thing is stand_in for thing in registry.optimizers.alive())
    key = id(own)
    del own, stand_in
    gc.collect()
    assert key not in plain_optimizer._stand_ins


def test_a_model_that_it_holds_counts_with_its_parameters():
    own, net = Own([]), model()
    assert stand_in_of(own) is None
    own.parameters = {"net": net}
    assert len(stand_in_of(own).param_groups[0]["params"]) == 2


def test_what_wraps_an_optimizer_of_pytorch_is_none():
    net = model()
    assert stand_in_of(Wraps(torch.optim.SGD(net.parameters(), lr=0.1))) is None


def test_an_optimizer_of_pytorch_that_comes_later_takes_over():
    net = model()
    own = Own(net.parameters())
    assert stand_in_of(own) is not None
    late = torch.optim.SGD(net.parameters(), lr=0.1)
    plain_optimizer.give_way_to(late)
    registry.optimizers.add(late)
    assert stand_in_of(own) is None


RECORDED = """
    import sys, torch
    from torch import nn

    class Base:
        def __init__(self, parameters, lr):
            self.parameters, self.lr = list(parameters), lr
        def zero_grad(self):
            for parameter in self.parameters:
                parameter.grad = None

    class Momentum(Base):
        def __init__(self, parameters, lr):
            super().__init__(parameters, lr)
            self.slots = [torch.zeros_like(parameter) for parameter in self.parameters]
        @torch.no_grad()
        def step(self):
            for parameter, slot in zip(self.parameters, self.slots):
                slot.mul_(0.9).add_(parameter.grad)
                parameter.sub_(slot, alpha=self.lr)

    class Nesterov(Momentum):
        def step(self):
            super().step()

    class Scheduled:
        def __init__(self, inner):
            self.inner, self.steps = inner, 0
        def zero_grad(self):
            self.inner.zero_grad()
        def step(self):
            self.steps += 1
            self.inner.step()

    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    if sys.argv[2] == "own":
        optimizer = Nesterov(model.parameters(), 0.1)
    else:
        optimizer = Scheduled(torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    for step in range(6):
        optimizer.zero_grad()
        model(torch.randn(3, 4)).square().sum().backward()
        optimizer.step()
        print("step", step)
"""


def test_its_steps_are_counted_and_its_state_is_recorded(trainers):
    leg = trainers.record(trainers.script(RECORDED), "own")
    assert leg.begins[0] == (0, "begin") and leg.begins[-1] == (4, "begin")
    assert {"model/weight", "loop/optimizer/slots/0", "loop/optimizer/lr"} <= leg.capture.keys()
    assert any(phase == "grad:weight" for _, phase, _ in leg.ranks[0]["traces"])
    assert leg.events("recorder_error") == []


def test_a_wrapper_changes_nothing_of_what_it_wraps(trainers):
    leg = trainers.record(trainers.script(RECORDED), "wrapped")
    assert leg.begins[0] == (0, "begin") and leg.begins[-1] == (4, "begin")
    assert "optimizer/state/weight/momentum_buffer" in leg.capture
    assert not any(path.startswith("optimizer.1") for path in leg.capture)
    assert leg.events("recorder_error") == []
