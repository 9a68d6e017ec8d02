"""Optimizer steps, and steps that a gradient scaler skips."""

from typing import Any

import torch
from torch.optim import Optimizer, lr_scheduler
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from samestep import registry
from samestep.guard import guarded
from samestep.patch import around
from samestep.recorder import recorder

_stepped = 0


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
        registry.optimizers.add(optimizer)
        recorder().clock.add(optimizer)


def _scaler_steps(args: Any, keywords: Any) -> int:
    return _stepped


def _scaler_stepped(token: int, args: Any, keywords: Any, result: Any) -> None:
    optimizer = args[1] if len(args) > 1 else keywords.get("optimizer")
    if token == _stepped and optimizer is not None:
        recorder().stepped(getattr(optimizer, "optimizer", optimizer))


def _made(kind: registry.Registry) -> Any:
    def after(token: Any, args: Any, keywords: Any, result: Any) -> None:
        if args:
            kind.add(args[0])

    return after


def install() -> None:
    around(Optimizer, "__init__", after=_made_optimizer)
    register_optimizer_step_pre_hook(_before_step)
    register_optimizer_step_post_hook(_after_step)
    around(torch.amp.GradScaler, "step", _scaler_steps, _scaler_stepped)
    around(torch.amp.GradScaler, "__init__", after=_made(registry.scalers))
    for kind in vars(lr_scheduler).values():
        if isinstance(kind, type) and issubclass(kind, lr_scheduler.LRScheduler):
            around(kind, "__init__", after=_made(registry.schedulers))
