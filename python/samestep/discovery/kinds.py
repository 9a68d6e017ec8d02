"""What kind of thing is this object? Answered from its type alone."""

import functools
import random
import sys
from typing import Any

import torch
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader, Sampler

from samestep.discovery.attributes import is_a
from samestep.discovery.words import says_average

GENERATOR_KINDS = ("Generator", "RandomState", "BitGenerator")


def is_generator(thing: Any) -> bool:
    """A private random stream of torch, NumPy or Python."""
    return _is_generator_kind(type(thing), sys.modules.get("numpy.random"))  # type: ignore[arg-type]


@functools.cache
def _is_generator_kind(kind: type, numpy_random: Any) -> bool:
    if issubclass(kind, (torch._C.Generator, random.Random)):
        return True
    if numpy_random is None:
        return False
    return any(issubclass(kind, getattr(numpy_random, name)) for name in GENERATOR_KINDS)


def is_global_generator(thing: Any) -> bool:
    """One of the process-wide streams, which have names of their own."""
    if thing is torch.default_generator or thing is getattr(random, "_inst", None):
        return True
    numpy_random = sys.modules.get("numpy.random")
    mtrand = getattr(numpy_random, "mtrand", None)
    return mtrand is not None and thing is getattr(mtrand, "_rand", None)


def is_scheduler(thing: Any) -> bool:
    return is_a(thing, LRScheduler)


def is_loader(thing: Any) -> bool:
    return issubclass(type(thing), DataLoader)


def may_average(kind: type) -> bool:
    """By its name, a class that keeps an average of weights."""
    return says_average(kind.__name__)


def component_kind(thing: Any) -> str | None:
    """The component that objects of this type are, where the type alone says so."""
    return _component_kind_of(type(thing))  # type: ignore[arg-type]


@functools.cache
def _component_kind_of(kind: type) -> str | None:
    if issubclass(kind, torch.nn.Module):
        return "model"
    if issubclass(kind, Optimizer):
        return "optimizer"
    if issubclass(kind, LRScheduler):
        return "lr_scheduler"
    if issubclass(kind, torch.amp.GradScaler):
        return "grad_scaler"
    if issubclass(kind, (DataLoader, Sampler)):
        return "dataloader"
    return None
