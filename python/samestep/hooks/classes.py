"""Classes of the trainer that load state, or make steps: watched from their definition on."""

import builtins
from typing import Any

import torch
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from samestep.discovery.origin import is_user_class
from samestep.guard import guarded
from samestep.hooks import optimizers
from samestep.hooks.loads import watch_plain_class
from samestep.plain_optimizer import looks_like_one

_CALLS = ("load_state_dict", "load_state", "set_state", "restore")
# Their subclasses are watched as such.
_KNOWN = (torch.nn.Module, Optimizer, LRScheduler, torch.amp.GradScaler)


@guarded
def _defined(kind: Any) -> None:
    if isinstance(kind, type) and is_user_class(kind) and not issubclass(kind, _KNOWN):
        for name in _CALLS:
            if name in vars(kind):
                watch_plain_class(kind, name)
        if looks_like_one(kind):
            optimizers.watch_plain_class(kind)


def install() -> None:
    """Python offers no hook on class definitions; the builtin behind `class` is wrapped."""
    original = builtins.__build_class__

    def build_class(*args: Any, **keywords: Any) -> Any:
        kind = original(*args, **keywords)
        _defined(kind)
        return kind

    builtins.__build_class__ = build_class
