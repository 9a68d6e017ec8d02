"""Fields of an optimizer, read from its dictionaries: no getter, which might make a dummy step."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from samestep.discovery.attributes import is_a
from samestep.entry import Entry, Group, flatten, is_number, singly
from samestep.names import class_name, escape, join
from samestep.tensors import PLAIN_KINDS

_COUNTERS = dict.fromkeys(("step", "n_iter", "func_evals", "k"), "step_counter")
_OWN = {"_warned_capturable_if_run_uncaptured", "_opt_called"}

Path = tuple[str, ...]
NameOf = Callable[[Any], str | None]


def optimizer_entries(component: str, optimizer: Any, name_of: NameOf) -> Iterator[Entry]:
    """`name_of` gives a parameter's name; slots of unnamed ones carry the index."""
    return singly(optimizer_fields(component, optimizer, name_of))


def optimizer_fields(component: str, optimizer: Any, name_of: NameOf) -> Iterator[Entry | Group]:
    owner = class_name(type(optimizer))
    indexes: dict[int, int] = {}
    own = vars(optimizer)
    for group in own["param_groups"]:
        for parameter in group["params"]:
            indexes.setdefault(id(parameter), len(indexes))
    yield from _slots(component, own["state"], indexes, name_of, owner)
    yield from group_entries(component, optimizer)
    stock = type(optimizer).__module__.startswith("torch.")
    for name, thing in list(own.items()):
        if name in _OWN or (stock and name.startswith("_")):
            continue
        if is_number(thing) or is_a(thing, torch.Tensor):
            traits = {"declared": "attribute", "owner": owner}
            yield Entry((component, name), "other", thing, traits)


def detached_entries(groups: dict[str, list[int]]) -> Iterator[Entry]:
    """Of each optimizer that steps tensors which nothing holds: how many they are, in the first
    group that has such."""
    for component, counts in groups.items():
        first = next(number for number, count in enumerate(counts) if count)
        path = (component, "param_groups", str(first), "params")
        yield Entry(path, "other", sum(counts), {"declared": "detached"})


def _slots(
    component: str, state: Any, indexes: dict[int, int], name_of: NameOf, owner: str
) -> Iterator[Entry | Group]:
    traits = {"declared": "state_dict", "owner": owner}
    below = join((component, "state"))
    for key, slots in list(dict.items(state)):
        index = indexes.get(id(key))
        place = str(index) if index is not None else str(key) if type(key) in (str, int) else None
        if place is None:
            continue
        name = name_of(key) if index is not None else None
        path = (component, "state", name or place)
        if type(slots) is dict and all(map(_is_named_tensor, slots.items())):
            place = f"{below}/{escape(place)}"
            yield Group(path, "moment", dict(slots), traits, False, _COUNTERS, place)
        else:
            yield from _other_slots(path, slots, place, traits)


def _is_named_tensor(item: tuple[Any, Any]) -> bool:
    return type(item[0]) is str and type(item[1]) in PLAIN_KINDS


def _other_slots(path: Path, slots: Any, place: str, traits: dict[str, str]) -> Iterator[Entry]:
    for entry in flatten(path, slots, "moment", {}):
        if len(entry.path) > 3 and entry.path[3] in _COUNTERS:
            entry.role = "step_counter"
        entry.traits = {**traits, "place": join((*path[:2], place, *entry.path[3:]))}
        yield entry


def group_entries(component: str, optimizer: Any) -> Iterator[Entry]:
    """What its groups are set to."""
    owner = class_name(type(optimizer))
    for number, group in enumerate(vars(optimizer)["param_groups"]):
        traits = {"declared": "state_dict", "owner": owner}
        for key, thing in list(group.items()):
            if key not in ("params", "param_names"):
                path = (component, "param_groups", str(number), str(key))
                yield from flatten(path, thing, "hyperparameter", traits)
