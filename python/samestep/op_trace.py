"""The operator tracer: a library built for one libtorch, found beside this package.

The package itself is free of torch. Where the library was not built, or for another PyTorch than
this process has, it is not loaded, and the record says so.
"""

import contextlib
import ctypes
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

import samestep
from samestep._core import Session
from samestep.discovery.modules import walk_modules
from samestep.discovery.parts import Parts

_ABI = 1
FORWARD, OPTIMIZER, BETWEEN = 0, 2, 3


class Unavailable(Exception):
    """Why operators cannot be traced in this process."""


def _version() -> str:
    return str(torch.__version__).partition("+")[0]


def find_library(folder: Path, version: str) -> Path:
    """The library for PyTorch `version` in `folder`; raises Unavailable."""
    found = folder / f"op_trace.torch-{version}.so"
    if found.is_file():
        return found
    names = [
        re.sub(r"^op_trace\.torch-|\.so$", "", path.name) for path in folder.glob("op_trace.*")
    ]
    if names:
        built = ", ".join(sorted(names))
        raise Unavailable(
            f"the tracer was built for PyTorch {built}, this process has {version}: "
            "install samestep anew where this PyTorch is (pip install --no-build-isolation .)"
        )
    raise Unavailable(
        "the tracer was not built, as samestep was installed without PyTorch at hand: "
        "install it where PyTorch is (pip install --no-build-isolation .)"
    )


def _load(folder: Path) -> Any:
    path = find_library(folder, _version())
    try:
        library = ctypes.CDLL(str(path))
        if library.samestep_op_trace_abi() != _ABI:
            raise Unavailable(f"{path.name} is of another samestep: install samestep anew")
        library.samestep_op_trace_enter_module.argtypes = [ctypes.c_char_p]
        library.samestep_op_trace_take.restype = ctypes.c_char_p
        library.samestep_op_trace_torch.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise Unavailable(f"{path.name} cannot be loaded: {error}") from error
    return library


def _folders() -> list[Path]:
    return [Path(path) for path in samestep.__path__]


class OpTrace:
    """On from the begin of the step that the plan names to the next begin, or the end."""

    def __init__(self) -> None:
        self.is_on = False
        self._library: Any = None
        self._modules: dict[int, bytes] = {}
        self._hooks: list[Any] = []
        self._depth = 0

    def start(self, session: Session, parts: Parts, module: Any, sees_modules: bool) -> None:
        """`module` is about to be called, its forward is part of the trace."""
        try:
            self._library = self._library or self._found()
        except Unavailable as reason:
            session.event("operators_untraced", json.dumps({"reason": str(reason)}))
            return
        self._name(parts)
        self._depth = 0
        self._library.samestep_op_trace_start(BETWEEN)
        self.is_on = True
        if sees_modules:
            hooks = torch.nn.modules.module
            self._hooks = [
                hooks.register_module_forward_pre_hook(self._enter),
                hooks.register_module_forward_hook(self._leave, always_call=True),
            ]
            if module is not None:
                self._enter(module, ())

    def stop(self, session: Session) -> None:
        """Ends the trace and hands over its record."""
        if not self.is_on:
            return
        self.drop()
        while (part := self._library.samestep_op_trace_take()) is not None:
            session.event("operators", part.decode())

    def drop(self) -> None:
        """Ends the trace; in a child made by fork its record is the parent's."""
        if not self.is_on:
            return
        self.is_on = False
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        self._library.samestep_op_trace_stop()

    def phase(self, number: int) -> None:
        if self.is_on:
            self._library.samestep_op_trace_enter_phase(number)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """The operators inside are ours."""
        library = self._library
        if library is not None:
            library.samestep_op_trace_pause()
        try:
            yield
        finally:
            if library is not None:
                library.samestep_op_trace_resume()

    @staticmethod
    def _found() -> Any:
        reasons: list[Unavailable] = []
        for folder in _folders():
            try:
                return _load(folder)
            except Unavailable as reason:
                reasons.append(reason)
        raise reasons[0]

    def _name(self, parts: Parts) -> None:
        self._modules = {}
        for component, root in parts.modules.items():
            number = component.partition(".")[2]
            for name, module in walk_modules(root):
                label = f"{number}:{name}" if number and name else name
                self._modules.setdefault(id(module), label.encode())

    def _enter(self, module: Any, inputs: Any) -> None:
        if self._depth == 0:
            self.phase(FORWARD)
        self._depth += 1
        self._library.samestep_op_trace_enter_module(self._modules.get(id(module), b""))

    def _leave(self, module: Any, inputs: Any, output: Any) -> None:
        self._depth = max(0, self._depth - 1)
        self._library.samestep_op_trace_leave_module()
        if self._depth == 0:
            self.phase(FORWARD)
