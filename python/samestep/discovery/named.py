"""What a trainer named with samestep.watch: components by their kind, and state it declares."""

from typing import Any

import torch

from samestep.discovery.attributes import attributes, is_a
from samestep.discovery.containers import is_container
from samestep.discovery.found import Path
from samestep.discovery.kinds import component_kind
from samestep.entry import is_number
from samestep.names import unwrap
from samestep.tensors import is_array

_ALIASES = {"scheduler": "lr_scheduler", "scaler": "grad_scaler", "loader": "dataloader"}
_COMPONENTS = {"model", "optimizer", "lr_scheduler", "grad_scaler", "ema", "dataloader"}


def components_in(watched: dict[str, Any]) -> dict[str, list[Any]]:
    """The PyTorch objects that were named as what they are, wrappers folded."""
    found: dict[str, list[Any]] = {}
    for name, thing in watched.items():
        kind = _ALIASES.get(name, name)
        if kind in _COMPONENTS:
            found.setdefault(kind, []).extend(_of_kind(kind, thing))
    return found


def _of_kind(kind: str, thing: Any) -> list[Any]:
    if is_a(thing, (list, tuple)):
        return [part for item in thing for part in _of_kind(kind, item)]
    own = component_kind(thing)
    if kind == "ema":
        return [thing] if own in ("model", None) else []
    inner = [part for part in attributes(thing).values() if component_kind(part) == kind]
    if own == "model" and kind == "model":
        return [unwrap(thing)]
    if kind == "optimizer" and own == kind and "param_groups" not in vars(thing):
        return inner  # what a wrapper wraps
    if own == kind:
        return [thing]
    return inner[:1] if kind == "lr_scheduler" else []


def declared_in(watched: dict[str, Any]) -> list[tuple[Path, Any]]:
    """What was named and is no component: where its fields go, and what tells them."""
    taken = {kind for kind, things in components_in(watched).items() if things}
    found: list[tuple[Path, Any]] = []
    for name, thing in watched.items():
        kind = _ALIASES.get(name, name)
        if kind not in taken and _tells_state(thing):
            found.append(((kind,) if kind in _COMPONENTS else ("extra", name), thing))
    return found


def _tells_state(thing: Any) -> bool:
    if component_kind(thing) is not None or is_a(thing, type):
        return False
    return (
        callable(thing)
        or hasattr(type(thing), "state_dict")
        or is_container(thing)
        or is_number(thing)
        or is_a(thing, (torch.Tensor, str, bytes))
        or is_array(thing)
    )
