"""The search finds state where trainers keep it, by stable names, and runs none of their code."""

import collections
import enum
import functools
import gc
import importlib
import random
import sys
import types
import weakref

import numpy as np
import pytest
import torch
from support import searching
from support.searching import Plain, found_in, leaves_in
from torch import nn

from samestep.discovery import containers
from samestep.discovery.attributes import attributes
from samestep.discovery.frames import Scope, read_locals, stack_scopes
from samestep.discovery.modules import roots_of, walk_parameters
from samestep.discovery.search import search
from samestep.discovery.suspended import suspended_scopes
from samestep.discovery.walk import Walk
from samestep.entry import LeftOut, singly
from samestep.fields import fields_of
from samestep.tensors import digest_of


@pytest.fixture(autouse=True)
def this_file_is_a_trainer(monkeypatch):
    searching.make_a_trainer(monkeypatch, __name__)


class Slotted:
    __slots__ = ("count", "unset")

    def __init__(self):
        self.count = 7


class Trap:
    """Whoever runs any code of this class has changed the trainer."""

    def __init__(self):
        self.__dict__["count"] = 3

    @property
    def danger(self):
        raise AssertionError("a property was called")

    def __getattr__(self, name):
        raise AssertionError(f"__getattr__({name})")

    def __len__(self):
        raise AssertionError("__len__")

    def __iter__(self):
        raise AssertionError("__iter__")

    def __eq__(self, other):
        raise AssertionError("__eq__")

    def __bool__(self):
        raise AssertionError("__bool__")

    __hash__ = None


def test_numbers_in_variables_and_in_containers_are_leaves():
    leaves = leaves_in(step=4, rate=0.5, on=True, progress={"epoch": 2}, name="a", none=None)
    assert leaves == {
        ("step",): 4, ("rate",): 0.5, ("on",): True, ("progress", "epoch"): 2,
    }  # fmt: skip


def test_upper_case_names_are_constants_of_modules_only():
    scopes = [Scope("main", {"T": 3}, True), Scope("__main__", {"SEED": 1}, True, True)]
    assert [scope.leaves for scope in Walk().run(scopes).scopes] == [[(("T",), 3)], []]


def test_runs_of_numbers_are_packed():
    leaves = leaves_in(window=[1.0, 2.0], norms=collections.deque([3.0, 4.0]), mixed=[1, 2.0])
    assert leaves[("window",)] == [1.0, 2.0] and leaves[("norms",)] == [3.0, 4.0]
    assert leaves[("mixed", "1")] == 2.0


def test_plain_objects_are_holders_of_what_is_in_them():
    inner = Plain(rung=3)
    found = found_in(run=Plain(step=1, curriculum=inner), slotted=Slotted())
    held = {holder.path: dict(holder.leaves) for holder in found.holders}
    assert held[("run",)] == {("step",): 1}
    assert held[("run", "curriculum")] == {("rung",): 3}
    assert held[("slotted",)] == {("count",): 7}


def test_nothing_of_an_object_is_called():
    found = found_in(trap=Trap())
    assert found.holders[0].leaves == [(("count",), 3)]
    assert attributes(Trap()) == {"count": 3}


GENERATORS = {
    "torch": torch.Generator(),
    "numpy": np.random.default_rng(1),
    "legacy": np.random.RandomState(1),
    "bits": np.random.PCG64(1),
    "python": random.Random(1),
}


@pytest.mark.parametrize("kind", GENERATORS)
def test_private_generators_are_found_wherever_they_are_kept(kind):
    generator = GENERATORS[kind]
    places = {
        ("here",): {"here": generator},
        ("box", "deep", "mine"): {"box": Plain(deep=Plain(mine=generator))},
        ("table", "a", "0"): {"table": {"a": [generator]}},
        ("net", "noise"): {"net": with_attribute(nn.Linear(1, 1), "noise", generator)},
        ("net", "0", "noise"): {
            "net": nn.Sequential(with_attribute(nn.Linear(1, 1), "noise", generator))
        },
    }
    for path, variables in places.items():
        assert found_in(**variables).generators == [(path, generator)]
    drawing = functools.partial(print, source=generator)
    assert found_in(draw=drawing).generators == [(("draw", "source"), generator)]


def with_attribute(module, name, thing):
    setattr(module, name, thing)
    return module


def test_closures_are_looked_into():
    generator = torch.Generator()

    def noise():
        return torch.rand(1, generator=generator)

    assert found_in(noise=noise).generators == [(("noise", "generator"), generator)]


def test_process_wide_streams_are_no_private_ones():
    state = np.random.mtrand._rand
    found = found_in(torch_default=torch.default_generator, python=random._inst, numpy=state)
    assert found.generators == []


def test_the_shortest_path_names_an_object_however_often_it_is_held():
    generator = torch.Generator()
    found = found_in(box=Plain(inner=Plain(order=generator)), order=generator)
    assert found.generators == [(("order",), generator)]


def test_a_held_optimizer_state_is_no_state():
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    assert leaves_in(saved={"step": 3, "optimizer": optimizer.state_dict()}) == {
        ("saved", "step"): 3
    }


def nested(depth, core):
    for _ in range(depth):
        core = [core]
    return core


def test_large_containers_and_deep_ones_are_one_field_each():
    wide = {str(i): Plain(n=i) for i in range(5000)}
    leaves = leaves_in(deep=nested(15, 5), wide=wide, names=["a"] * 5000, step=1)
    folds = {
        place[0]: value.partition(",")[0] for place, value in leaves.items() if place != ("step",)
    }
    assert folds == {"deep": "1 values", "wide": "5000 values"}
    wide["7"].n = 8
    assert leaves_in(wide=wide)[("wide",)] != leaves[("wide",)]


def test_rows_of_rows_are_one_field_unless_they_hold_objects_of_training():
    transitions = collections.deque([(torch.ones(2), 0.5, False)] * 100)
    assert leaves_in(memory=transitions)[("memory",)].startswith("300 values, ")
    clients = [(nn.Linear(1, 1), index) for index in range(100)]
    found = found_in(clients=clients)
    assert len(found.modules) == 100 and len(found.scopes[0].leaves) == 100


def test_what_no_digest_takes_is_told():
    leaves = leaves_in(deep=nested(60, 5), rows=[(1, 2.0)] * 40_000)
    assert len(leaves) == 2 and all(isinstance(value, LeftOut) for value in leaves.values())
    loop = []
    loop.append(loop)
    assert leaves_in(loop=loop) == {}


class Phase(enum.Enum):
    WARMUP = 1


class Level(enum.IntEnum):
    LOW = 1


def test_keys_have_a_text_that_lasts():
    keys = [(1, "a"), np.int64(3), True, 0.5, Phase.WARMUP, Level.LOW, frozenset([1]), Plain()]
    texts = [containers.key_text(key) for key in keys]
    assert texts == ["(1, a)", "3", "True", "0.5", "Phase.WARMUP", "Level.LOW", None, None]
    visits = leaves_in(visits={(1, 2): 7, Plain(): 8})
    assert visits == {("visits", "(1, 2)"): 7}
    assert leaves_in(seen={3, 1, 2}) == {("seen",): [1, 2, 3]}


def test_words_of_objects_are_state_and_other_texts_are_not():
    texts = {"phase": "warmup", "file": "/tmp/x", "run": "2026-11-30", "long": "a" * 33}
    found = found_in(run=Plain(level=Level.LOW, **texts), phase="main", stage=Phase.WARMUP)
    assert found.holders[0].leaves == [(("level",), "Level.LOW"), (("phase",), "warmup")]
    assert found.scopes[0].leaves == [(("stage",), "Phase.WARMUP")]


class Counted:
    made = 3
    LIMIT = 5

    def __init__(self, own=1):
        self.own = own


def test_functions_and_classes_hold_state_of_their_own():
    def step(rate, cache={"n": 2}):  # noqa: B006
        return rate, cache

    step.calls = 4
    assert leaves_in(step=step) == {("step", "calls"): 4, ("step", "cache", "n"): 2}
    for found in (found_in(first=Counted(), second=Counted()), found_in(kind=Counted)):
        assert [scope.leaves for scope in found.scopes] == [[], [(("Counted", "made"), 3)]]


def test_objects_behind_hooks_of_modules_are_found():
    watcher = Counted()
    watcher.__dict__["seen"] = lambda *_: None
    module = nn.Linear(1, 1)
    module.register_forward_hook(types.MethodType(lambda self, *_: None, watcher))
    module.register_forward_hook(print)
    assert [holder.thing for holder in found_in(module=module).holders] == [watcher]


class Row(list):
    def __len__(self):
        raise AssertionError("__len__")

    def __iter__(self):
        raise AssertionError("__iter__")


def test_nothing_of_a_container_of_the_trainers_is_called():
    assert leaves_in(row=Row([1, 2.5])) == {("row", "0"): 1, ("row", "1"): 2.5}
    assert leaves_in(row=Row([1, 2])) == {("row",): [1, 2]}


def test_loops_of_references_end():
    first, second = Plain(), Plain()
    first.other, second.other = second, first
    assert len(found_in(first=first).holders) == 2


def test_the_stack_is_read_without_keeping_variables_alive():
    class Thing:
        pass

    def loop():
        thing = Thing()
        link = weakref.ref(thing)
        scopes = [scope for scope in stack_scopes() if scope.name == "loop"]
        assert scopes[0].variables["thing"] is thing and scopes[0].of_user
        del scopes, thing
        return link

    link = loop()
    assert link() is None


def test_reading_variables_leaves_a_dictionary_that_the_trainer_holds():
    def loop():
        step = 3
        mine = locals()
        copy = read_locals(inspect_frame())
        assert copy["step"] == step == 3
        return mine

    def inspect_frame():
        import sys

        return sys._getframe(1)

    assert loop()["step"] == 3


def numbers(seed):
    stream = np.random.default_rng(seed)
    while True:
        yield stream.random()


def test_a_suspended_generator_is_found_though_only_a_loop_holds_it():
    for _ in numbers(1):
        scopes = suspended_scopes()
        break
    assert [sorted(scope.variables) for scope in scopes] == [["numbers.seed", "numbers.stream"]]
    scopes.clear()
    gc.collect()
    assert suspended_scopes() == []


def test_generators_of_modules_that_come_later_are_found(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    suspended_scopes()  # all modules are known now
    for text in ("x", "later"):  # and imported anew, as another module of the name
        (tmp_path / "late_feed.py").write_text(f"def feed({text}):\n    yield {text}\n")
        importlib.invalidate_caches()
        sys.modules.pop("late_feed", None)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        for _ in importlib.import_module("late_feed").feed(1):
            scopes = suspended_scopes()
            break
        names = {name for scope in scopes for name in scope.variables}
        assert f"feed.{text}" in names
    sys.modules.pop("late_feed")


def test_roots_are_unwrapped_and_hold_no_other():
    inner = nn.Linear(1, 1)
    model = nn.Sequential(inner)
    wrapped = nn.DataParallel(model)
    assert roots_of([inner, wrapped, model], None) == [model]
    assert roots_of([model], inner) == [model]
    assert roots_of([], model) == [model]


def test_a_part_that_is_wrapped_twice_is_no_root():
    class OptimizedModule(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self._orig_mod = inner

    inner = nn.Linear(2, 2)
    twice = OptimizedModule(OptimizedModule(inner))
    model = nn.Sequential(twice)
    every = list(model.modules())
    assert roots_of(every, None) == [model]
    assert roots_of([*every, OptimizedModule(model)], None) == [model]
    assert roots_of([twice, *twice.modules()], None) == [inner]


def test_wrappers_leave_no_trace_in_names():
    class OptimizedModule(nn.Module):
        def __init__(self, module):
            super().__init__()
            self._orig_mod = module

    model = nn.Sequential(OptimizedModule(nn.Linear(1, 1)))
    assert [name for name, _ in walk_parameters(model)] == ["0.weight", "0.bias"]


def test_a_search_finds_this_functions_own_variables():
    here = types.SimpleNamespace(order=torch.Generator())
    assert (("here", "order"), here.order) in search().generators


class Stubborn(torch.Tensor):
    """Answers no function of torch, as a ShardedTensor does not answer most."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError(f"no {function}")


def test_a_tensor_that_answers_nothing_ends_no_search():
    layer = torch.nn.Linear(2, 2)
    layer.beside = torch.arange(3.0).as_subclass(Stubborn)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    kept = {"a": torch.arange(4.0).as_subclass(Stubborn)}
    found = {entry.text(): entry for entry in singly(fields_of(search(layer)))}
    assert {"model/weight", "model/beside"} <= found.keys()
    assert found["model/beside"].digest() == digest_of(torch.arange(3.0))
    assert optimizer is not None and kept


def test_what_tensors_are_kept_in_is_no_constant_for_its_name():
    from samestep.discovery.frames import Scope
    from samestep.discovery.walk import Walk

    weight = torch.zeros(2, requires_grad=True)
    variables = {"P": {"l1": {"w": weight}}, "SIZES": [1, 2], "CONFIG": {"lr": 0.1}, "SEED": 3}
    found = Walk().run([Scope("main", variables, True, is_module=True)])
    assert [place for place, _ in found.scopes[0].leaves] == [("P", "l1", "w")]
