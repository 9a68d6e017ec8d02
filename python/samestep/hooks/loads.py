"""Load calls: right after each, what it left in the live object is looked at."""

import random
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from samestep import registry
from samestep.import_hook import after_import
from samestep.patch import around
from samestep.recorder import recorder

_under_way = threading.local()


def _enter(args: Any, keywords: Any) -> bool:
    """True for the outermost call on this object: an override may go on after the base's."""
    loading: set[int] = _under_way.__dict__.setdefault("ids", set())
    if not args or id(args[0]) in loading:
        return False
    loading.add(id(args[0]))
    recorder().barrier()
    return True


def _leave(look: Callable[[Any, str], None], name: str = "load_state_dict") -> Any:
    def after(outermost: bool, args: Any, keywords: Any, result: Any) -> None:
        if not outermost:
            return
        _under_way.ids.discard(id(args[0]))
        if not recorder().asleep:
            with torch.no_grad():
                call = f"{type(args[0]).__name__}.{name}"
                look(args[0], call)
                recorder().loads.bystanders(args[0], call)
                recorder().loads.streams(call)

    return after


def _subclasses(kind: type) -> Iterator[type]:
    yield kind
    children: list[type] = type.__subclasses__(kind)
    for child in children:
        yield from _subclasses(child)


def _watch_class(base: type, look: Callable[[Any, str], None]) -> None:
    """Wraps load_state_dict of `base` and of all subclasses that override it, now and later."""
    after = _leave(look)
    for kind in _subclasses(base):
        around(kind, "load_state_dict", _enter, after)

    def init_subclass(cls: type, **keywords: Any) -> None:
        super(base, cls).__init_subclass__(**keywords)  # type: ignore[arg-type]
        around(cls, "load_state_dict", _enter, after)

    if "__init_subclass__" not in vars(base):
        base.__init_subclass__ = classmethod(init_subclass)  # type: ignore


def watch_plain_class(kind: type, name: str) -> None:
    """Looks at a plain object of the trainer after each call of its load method `name`."""
    around(kind, name, _enter, _leave(recorder().loads.plain, name))


def _after_streams(call: str) -> Any:
    def after(token: Any, args: Any, keywords: Any, result: Any) -> None:
        if not recorder().asleep:
            recorder().loads.streams(call)

    return after


def _before_in_place(args: Any, keywords: Any) -> None:
    recorder().barrier()


def _after_in_place(call: str) -> Any:
    def after(token: Any, args: Any, keywords: Any, result: Any) -> None:
        if not recorder().asleep:
            recorder().loads.in_place(registry.optimizers.alive(), call)
            recorder().loads.streams(call)

    return after


def _install_checkpoint() -> None:
    checkpoint = sys.modules["torch.distributed.checkpoint"]
    name = "torch.distributed.checkpoint.load"
    around(checkpoint, "load", _before_in_place, _after_in_place(name))


def _install_numpy() -> None:
    around(sys.modules["numpy.random"], "set_state", after=_after_streams("numpy.set_state"))


def _install_torchdata() -> None:
    loader = sys.modules["torchdata.stateful_dataloader"].StatefulDataLoader
    call = "StatefulDataLoader.load_state_dict"
    around(loader, "load_state_dict", after=_after_streams(call))


def install() -> None:
    loads = recorder().loads
    _watch_class(torch.nn.Module, loads.module)
    _watch_class(Optimizer, loads.optimizer)
    _watch_class(LRScheduler, loads.scheduler)
    _watch_class(torch.amp.GradScaler, loads.scaler)
    for owner in (torch, torch.random):
        around(owner, "set_rng_state", after=_after_streams("torch.set_rng_state"))
    for owner in (torch.cuda, torch.cuda.random):
        around(owner, "set_rng_state", after=_after_streams("torch.cuda.set_rng_state"))
    around(random, "setstate", after=_after_streams("random.setstate"))
    after_import("numpy.random", _install_numpy)
    after_import("torch.distributed.checkpoint", _install_checkpoint)
    after_import("torchdata.stateful_dataloader", _install_torchdata)
