"""Plain state: numbers, flags and small tensors in attributes of objects and in loop variables."""

from collections.abc import Iterator
from typing import Any

import torch

from samestep.discovery.attributes import is_a, saved_names
from samestep.discovery.found import Holder
from samestep.entry import Entry
from samestep.names import class_name
from samestep.probes.model import TENSOR_BYTES_MAX, TOO_LARGE
from samestep.tensors import is_array

SCOPE_ELEMENTS_MAX = 4096
_SCOPE_PLACE_MAX = 2


def holder_entries(path: tuple[str, ...], holder: Holder, role: str, owner: str) -> Iterator[Entry]:
    """Undeclared state of a plain object, below `path`."""
    saved = saved_names(type(holder.thing))  # type: ignore[arg-type]
    for place, value in holder.leaves:
        if _is_memory(value) and value.nbytes > TENSOR_BYTES_MAX:
            value = TOO_LARGE
        traits = {"declared": "attribute", "owner": owner}
        if saved is None or place[0] in saved:
            traits["saved_by"] = "state_dict"
        yield Entry((*path, *place), role, value, traits)


def plain_entries(path: tuple[str, ...], component: str, holder: Holder) -> Iterator[Entry]:
    """An object of the trainer, below `path`; `component` says whose state it is."""
    owner = class_name(type(holder.thing))
    kind = component.partition(".")[0]
    role = {"lr_scheduler": "schedule", "grad_scaler": "scaler", "dataloader": "cursor"}
    yield from holder_entries(path, holder, role.get(kind, "other"), owner)


def scope_entries(scopes: list[Holder]) -> Iterator[Entry]:
    """Variables of the training loop: evidence only. A name that an outer scope has got as well
    is told apart by its function."""
    taken: set[str] = set()
    for scope in scopes:
        own: set[str] = set()
        for place, value in scope.leaves:
            if len(place) > _SCOPE_PLACE_MAX or (_is_memory(value) and not _is_small_state(value)):
                continue
            own.add(place[0])
            path = (f"{scope.path[0]}.{place[0]}", *place[1:]) if place[0] in taken else place
            yield Entry(("loop", *path), "other", value, {"declared": "frame"})
        taken |= own


def _is_memory(value: Any) -> bool:
    return is_a(value, torch.Tensor) or is_array(value)


def _is_small_state(value: Any) -> bool:
    """No activation, no parameter, no data set."""
    if is_array(value):
        return bool(value.size <= SCOPE_ELEMENTS_MAX)
    kept = value.grad_fn is None and not value.requires_grad
    return bool(kept and value.numel() <= SCOPE_ELEMENTS_MAX)
