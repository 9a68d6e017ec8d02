"""PyTorch's global forward pre-hook, in place only while somebody waits for a forward."""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from samestep.guard import guarded


class ForwardHook:
    """Calls `callback(module, inputs)`; never changes the inputs."""

    def __init__(self, callback: Callable[[Any, Any], None]) -> None:
        self._callback = guarded(callback)
        self._handle: Any = None

    def arm(self) -> None:
        if self._handle is None:
            self._handle = register_module_forward_pre_hook(self._call)

    def disarm(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def _call(self, module: Any, inputs: Any) -> None:
        if not torch.compiler.is_compiling():
            self._callback(module, inputs)
