"""The variables of the training loop: frames on the stack, and globals of the trainer's modules."""

import inspect
import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

from samestep.discovery.origin import is_opaque_module, is_user_module


@dataclass(slots=True)
class Scope:
    """The variables of one function or module of the stack."""

    name: str
    variables: dict[str, Any]
    of_user: bool
    is_module: bool = False


def read_locals(frame: FrameType) -> dict[str, Any]:
    """A copy of a frame's variables that does not keep them alive after the copy is gone.

    Before Python 3.13 `f_locals` of a function is a snapshot that the frame keeps; it is emptied
    again unless the trainer itself holds it (`locals()`).
    """
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return dict(frame.f_locals)
    snapshot = frame.f_locals
    copy = dict(snapshot)
    held_by_frame_and_us = 3
    if sys.version_info < (3, 13) and sys.getrefcount(snapshot) <= held_by_frame_and_us:
        snapshot.clear()
    return copy


def stack_scopes() -> list[Scope]:
    """Scopes of the trainer's modules and of all frames that are not ours, outermost first."""
    frame: FrameType | None = sys._getframe(1)
    frames: list[FrameType] = []
    while frame is not None:
        if not is_opaque_module(str(frame.f_globals.get("__name__", ""))):
            frames.append(frame)
        frame = frame.f_back
    scopes, modules = [], {}
    for frame in reversed(frames):
        name = str(frame.f_globals.get("__name__", ""))
        of_user = is_user_module(name)
        if of_user:
            modules[name] = frame.f_globals
        if frame.f_code.co_name != "<module>":
            scopes.append(Scope(frame.f_code.co_name, read_locals(frame), of_user))
    del frame, frames
    return _module_scopes(modules) + scopes


def call_keywords() -> dict[str, Any]:
    """Keyword arguments of the module call that is being made below on the stack, if any."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == "torch.nn.modules.module":
            keywords = read_locals(frame).get("kwargs")
            return dict(keywords) if type(keywords) is dict else {}
        frame = frame.f_back
    return {}


def _module_scopes(modules: dict[str, dict[str, Any]]) -> list[Scope]:
    main = sys.modules.get("__main__")
    if main is not None:
        modules.setdefault("__main__", vars(main))
    ordered = sorted(modules, key=lambda name: (name != "__main__", name))
    return [Scope(name, dict(modules[name]), True, True) for name in ordered]
