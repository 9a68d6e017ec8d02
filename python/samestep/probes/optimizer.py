"""Fields of an optimizer, read from its dictionaries: no getter, which might make a dummy step."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from samestep.discovery.attributes import is_a
from samestep.entry import Entry, flatten, is_number
from samestep.names import class_name, join

_COUNTERS = {"step", "n_iter", "func_evals", "k"}
_OWN = {"_warned_capturable_if_run_uncaptured", "_opt_called"}

NameOf = Callable[[Any], str | None]


def optimizer_entries(component: str, optimizer: Any, name_of: NameOf) -> Iterator[Entry]:
    """`name_of` gives a parameter's name; slots of unnamed ones carry the index."""
    owner = class_name(type(optimizer))
    indexes: dict[int, int] = {}
    own = vars(optimizer)
    for group in own["param_groups"]:
        for parameter in group["params"]:
            indexes.setdefault(id(parameter), len(indexes))
    yield from _slots(component, own["state"], indexes, name_of, owner)
    yield from _groups(component, own["param_groups"], owner)
    stock = type(optimizer).__module__.startswith("torch.")
    for name, thing in list(own.items()):
        if name in _OWN or (stock and name.startswith("_")):
            continue
        if is_number(thing) or is_a(thing, torch.Tensor):
            traits = {"declared": "attribute", "owner": owner}
            yield Entry((component, name), "other", thing, traits)


def _slots(
    component: str, state: Any, indexes: dict[int, int], name_of: NameOf, owner: str
) -> Iterator[Entry]:
    for key, slots in list(dict.items(state)):
        index = indexes.get(id(key))
        place = str(index) if index is not None else str(key) if type(key) in (str, int) else None
        if place is None:
            continue
        name = name_of(key) if index is not None else None
        for entry in flatten((component, "state", name or place), slots, "moment", {}):
            if len(entry.path) > 3 and entry.path[3] in _COUNTERS:
                entry.role = "step_counter"
            entry.traits = {
                "declared": "state_dict",
                "owner": owner,
                "place": join((component, "state", place, *entry.path[3:])),
            }
            yield entry


def _groups(component: str, groups: list[dict[str, Any]], owner: str) -> Iterator[Entry]:
    for number, group in enumerate(groups):
        traits = {"declared": "state_dict", "owner": owner}
        for key, thing in list(group.items()):
            if key not in ("params", "param_names"):
                path = (component, "param_groups", str(number), str(key))
                yield from flatten(path, thing, "hyperparameter", traits)
