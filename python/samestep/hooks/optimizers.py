"""Optimizer steps, steps that a gradient scaler skips, and those of a trainer's own optimizers."""

from typing import Any

import torch
from torch.optim import Optimizer, lr_scheduler
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.optim.swa_utils import AveragedModel

from samestep import plain_optimizer, registry
from samestep.discovery.origin import is_user_class
from samestep.guard import guarded
from samestep.patch import around
from samestep.recorder import recorder

_stepped = 0
_stepping: set[int] = set()  # by identity, those of the trainer's own classes


@guarded
def _before_step(optimizer: Any, args: Any, keywords: Any) -> None:
    recorder().stepping(optimizer)


@guarded
def _after_step(optimizer: Any, args: Any, keywords: Any) -> None:
    global _stepped
    _stepped += 1
    recorder().stepped(optimizer)


def _made_optimizer(token: Any, args: Any, keywords: Any, result: Any) -> None:
    optimizer = args[0] if args else None
    if optimizer is not None and "param_groups" in vars(optimizer):
        plain_optimizer.give_way_to(optimizer)
        registry.optimizers.add(optimizer)
        recorder().clock.add(optimizer)


def _unpickled(token: Any, args: Any, keywords: Any, result: Any) -> None:
    """An optimizer that came out of a file as a whole; `load_state_dict` sets a state as well."""
    if args and "param_groups" in vars(args[0]):
        registry.optimizers.add(args[0])


def watch_plain_class(kind: type) -> None:
    """A class of the trainer with the methods of an optimizer: its objects and their steps."""
    around(kind, "step", _before_plain_step, _after_plain_step)
    for base in kind.__mro__:
        if "__init__" in vars(base):
            if is_user_class(base):
                around(base, "__init__", after=_made_plain)
            return


def _made_plain(token: Any, args: Any, keywords: Any, result: Any) -> None:
    if args and plain_optimizer.looks_like_one(type(args[0])):
        stand_in = plain_optimizer.stand_in_of(args[0])
        if stand_in is not None:
            recorder().clock.add(stand_in)


def _before_plain_step(args: Any, keywords: Any) -> tuple[Any, int]:
    """Nothing inside of another: an override may go on after the base's."""
    stand_in = None
    if args and id(args[0]) not in _stepping:
        stand_in = plain_optimizer.stand_in_of(args[0])
    if stand_in is not None:
        _stepping.add(id(args[0]))
        recorder().stepping(stand_in)
    return stand_in, _stepped


def _after_plain_step(token: Any, args: Any, keywords: Any, result: Any) -> None:
    stand_in, before = token
    if stand_in is None:
        return
    _stepping.discard(id(args[0]))
    if before == _stepped:
        _after_step(stand_in, (), {})


def _scaler_steps(args: Any, keywords: Any) -> int:
    return _stepped


def _scaler_stepped(token: int, args: Any, keywords: Any, result: Any) -> None:
    optimizer = args[1] if len(args) > 1 else keywords.get("optimizer")
    if token == _stepped and optimizer is not None:
        recorder().stepped(getattr(optimizer, "optimizer", optimizer), skipped=True)


def _made(kind: registry.Registry) -> Any:
    def after(token: Any, args: Any, keywords: Any, result: Any) -> None:
        if args:
            kind.add(args[0])

    return after


def install() -> None:
    around(Optimizer, "__init__", after=_made_optimizer)
    around(Optimizer, "__setstate__", after=_unpickled)
    register_optimizer_step_pre_hook(_before_step)
    register_optimizer_step_post_hook(_after_step)
    around(torch.amp.GradScaler, "step", _scaler_steps, _scaler_stepped)
    around(torch.amp.GradScaler, "__init__", after=_made(registry.scalers))
    around(AveragedModel, "__init__", after=_made(registry.averages))
    for kind in vars(lr_scheduler).values():
        if isinstance(kind, type) and issubclass(kind, lr_scheduler.LRScheduler):
            around(kind, "__init__", after=_made(registry.schedulers))
