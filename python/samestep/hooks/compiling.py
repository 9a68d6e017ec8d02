"""torch.compile: forwards of compiled modules are seen outside of the compiled code."""

from typing import Any

import torch

from samestep.guard import guarded
from samestep.patch import around
from samestep.recorder import recorder


def _compiles(args: Any, keywords: Any) -> None:
    recorder().compiles = True


def _compiled_in_place(token: Any, args: Any, keywords: Any, result: Any) -> None:
    """A module that was compiled in place calls its compiled self past all hooks."""
    module = args[0]
    inner = vars(module).get("_compiled_call_impl")
    if inner is None:
        return

    @guarded
    def begin(inputs: Any, keywords: Any) -> None:
        recorder().forward(module, inputs, keywords)

    def call(*inputs: Any, **keywords: Any) -> Any:
        begin(inputs, keywords)
        return inner(*inputs, **keywords)

    module._compiled_call_impl = call


def install() -> None:
    around(torch, "compile", _compiles)
    around(torch.nn.Module, "compile", _compiles, _compiled_in_place)
