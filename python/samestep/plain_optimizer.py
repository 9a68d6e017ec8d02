"""Optimizers of the trainer's own that derive from nothing of PyTorch: seen by their methods.

A class with `step` and `zero_grad` counts as one when its objects hold trainable tensors that no
optimizer of PyTorch holds: else it merely wraps that. Its state is found as that of any object.
"""

import weakref
from typing import Any

import torch
from torch.optim import Optimizer

from samestep import registry
from samestep.discovery.attributes import attributes, is_a
from samestep.discovery.containers import CHILDREN_MAX, is_container, items, size
from samestep.discovery.modules import parameters_of, walk_parameters
from samestep.discovery.origin import is_user_class

_DEPTH_MAX = 4
# Seen by hooks of PyTorch.
_KNOWN = (Optimizer, torch.nn.Module, torch.optim.lr_scheduler.LRScheduler)


class PlainOptimizer:
    """Stands for an object of the trainer where an optimizer is asked for its parameters."""

    def __init__(self, parameters: list[Any]) -> None:
        self.param_groups = [{"params": parameters}]
        self.state: dict[Any, Any] = {}


_stand_ins: dict[int, PlainOptimizer] = {}


def looks_like_one(kind: type) -> bool:
    """By its methods."""
    methods = (getattr(kind, name, None) for name in ("step", "zero_grad"))
    return not issubclass(kind, _KNOWN) and all(map(callable, methods))


def stand_in_of(thing: Any) -> PlainOptimizer | None:
    """Made and registered once the object holds its parameters; None before, and for wrappers."""
    known = _stand_ins.get(id(thing))
    if known is not None:
        return known
    parameters: dict[int, Any] = {}
    if not _gather(attributes(thing), parameters, _DEPTH_MAX):
        return None
    covered = {id(p) for p in parameters_of(registry.optimizers.alive())}
    if not parameters or covered & parameters.keys():
        return None
    try:
        weakref.finalize(thing, _stand_ins.pop, id(thing), None).atexit = False
    except TypeError:  # slots without a place for weak references
        return None
    stand_in = _stand_ins[id(thing)] = PlainOptimizer(list(parameters.values()))
    registry.optimizers.add(stand_in)
    return stand_in


def give_way_to(optimizer: Any) -> None:
    """Whose parameters an optimizer of PyTorch has taken over is none itself."""
    taken = {id(parameter) for parameter in parameters_of([optimizer])}
    for key, stand_in in list(_stand_ins.items()):
        if any(id(parameter) in taken for parameter in parameters_of([stand_in])):
            del _stand_ins[key]


def _gather(children: dict[str, Any], parameters: dict[int, Any], depth: int) -> bool:
    """Adds trainable tensors by their identity; False when an optimizer of PyTorch is there."""
    for child in children.values():
        if is_a(child, Optimizer):
            return False
        if is_a(child, torch.nn.Module):
            parameters.update((id(p), p) for _, p in walk_parameters(child) if p.requires_grad)
        elif is_a(child, torch.Tensor):
            if child.is_leaf and child.requires_grad:
                parameters[id(child)] = child
        elif depth > 0 and not _gather(_children(child), parameters, depth - 1):
            return False
    return True


def _children(thing: Any) -> dict[str, Any]:
    if is_container(thing):
        return dict(items(thing)) if size(thing) <= CHILDREN_MAX else {}
    return attributes(thing) if is_user_class(type(thing)) else {}
