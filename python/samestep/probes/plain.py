"""Plain state: numbers, flags and small tensors in attributes of objects and in loop variables."""

from collections.abc import Iterator, Set
from typing import Any

import torch

from samestep.discovery.attributes import is_a, saved_names
from samestep.discovery.found import Holder, Path
from samestep.discovery.leaves import Leaf
from samestep.entry import Entry, Word
from samestep.names import class_name
from samestep.probes.model import TENSOR_BYTES_MAX, TOO_LARGE
from samestep.tensors import bytes_of, elements_of, is_array

SCOPE_ELEMENTS_MAX = 65_536
_SHALLOW = 2  # keys; what lies deeper may be a checkpoint that somebody holds
# Under these a trainer's own optimizer keeps something for each parameter.
_SLOTS = {"m", "v", "mu", "nu", "exp_avg", "exp_avg_sq", "momentum", "velocity", "momenta"}


def holder_entries(
    path: Path, holder: Holder, role: str, owner: str, names: Set[str] = frozenset()
) -> Iterator[Entry]:
    """Undeclared state of a plain object, below `path`. `names`: those of trained parameters."""
    saved = saved_names(type(holder.thing))  # type: ignore[arg-type]
    for place, value in _live(holder.leaves, names):
        if _is_memory(value) and bytes_of(value) > TENSOR_BYTES_MAX:
            value = TOO_LARGE
        traits = {"declared": "attribute", "owner": owner}
        if saved is None or place[0] in saved:
            traits["saved_by"] = "state_dict"
        if type(value) is Word:
            value, traits["text"] = str(value), "word"
        yield Entry((*path, *place), role, value, traits)


def plain_entries(
    path: Path, component: str, holder: Holder, names: Set[str] = frozenset()
) -> Iterator[Entry]:
    """An object of the trainer, below `path`; `component` says whose state it is."""
    owner = class_name(type(holder.thing))
    kind = component.partition(".")[0]
    role = {"lr_scheduler": "schedule", "grad_scaler": "scaler", "dataloader": "cursor"}
    yield from holder_entries(path, holder, role.get(kind, "other"), owner, names)


def scope_entries(scopes: list[Holder], names: Set[str] = frozenset()) -> Iterator[Entry]:
    """Variables of the training loop: evidence only. A name that an outer scope has got as well
    is told apart by its function."""
    taken: set[str] = set()
    for scope in scopes:
        own: set[str] = set()
        for place, value in _live(scope.leaves, names):
            if _is_memory(value) and not _is_small_state(value):
                continue
            if type(value) is Word:
                value = str(value)
            own.add(place[0])
            path = (f"{scope.path[0]}.{place[0]}", *place[1:]) if place[0] in taken else place
            yield Entry(("loop", *path), "other", value, {"declared": "frame"})
        taken |= own


def _live(leaves: list[Leaf], names: Set[str]) -> list[Leaf]:
    """Without state dicts of models inside of something: a copy of state is no state."""
    if all(len(place) <= _SHALLOW for place, _ in leaves):
        return leaves
    copies = {
        place[:-1]
        for place, value in leaves
        if len(place) > _SHALLOW
        and _is_memory(value)
        and place[-1].removeprefix("module.") in names
        and place[-2] not in _SLOTS
    }
    return [leaf for leaf in leaves if leaf[0][:-1] not in copies] if copies else leaves


def _is_memory(value: Any) -> bool:
    return is_a(value, torch.Tensor) or is_array(value)


def _is_small_state(value: Any) -> bool:
    """No activation, no parameter, no data set."""
    if is_array(value):
        return bool(value.size <= SCOPE_ELEMENTS_MAX)
    with torch._C.DisableTorchFunctionSubclass():
        kept = value.grad_fn is None and not value.requires_grad
    return bool(kept and elements_of(value) <= SCOPE_ELEMENTS_MAX)
