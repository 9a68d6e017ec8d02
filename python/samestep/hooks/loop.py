"""What a training loop calls besides: loaders that give out batches, and backward."""

import threading
from typing import Any

import torch
from torch.utils.data import dataloader

from samestep.patch import around
from samestep.recorder import recorder

_depth = threading.local()


def _gave(token: Any, args: Any, keywords: Any, result: Any) -> None:
    if result is not None and not recorder().asleep:
        with torch.no_grad():
            recorder().batches.seen(result)


def _enter_backward(args: Any, keywords: Any) -> None:
    depth = getattr(_depth, "value", 0)
    _depth.value = depth + 1
    if depth == 0:
        recorder().backward(args[0] if args else keywords.get("tensors"))


def _leave_backward(token: Any, args: Any, keywords: Any, result: Any) -> None:
    _depth.value -= 1
    if _depth.value == 0:
        recorder().backward_done()


def install() -> None:
    around(dataloader._BaseDataLoaderIter, "__next__", after=_gave)
    around(torch.autograd, "backward", _enter_backward, _leave_backward)
