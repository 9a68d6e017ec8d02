"""Suspended generators of the trainer: a loop over one keeps it where no variable names it."""

import gc
import inspect
import operator
import sys
import types
from collections.abc import Iterator
from typing import Any

from samestep.discovery.frames import Scope, read_locals
from samestep.discovery.origin import is_user_module


def suspended_scopes() -> list[Scope]:
    """Variables of all suspended generators of the trainer's functions, as `function.variable`.

    The heap is only looked through when one of the trainer's modules has a generator function.
    """
    if not any(_has_generator_function(name, module) for name, module in _candidates()):
        return []
    scopes = []
    for thing in gc.get_objects():
        frame = _frame_of(thing) if type(thing) is types.GeneratorType else None
        if frame is not None:
            name = thing.__qualname__.rpartition("<locals>.")[2]
            variables = read_locals(frame)
            scopes.append(Scope(name, {f"{name}.{k}": v for k, v in variables.items()}, True))
    return scopes


class _Seen:
    """Modules at the last search, and those of them that were not known to be others'."""

    names: list[str] = []
    modules: list[Any] = []
    candidates: list[tuple[str, Any]] = []


def _candidates() -> list[tuple[str, Any]]:
    """Thousands are imported, and hardly ever another one between two searches."""
    modules = dict(sys.modules)
    names, things = list(modules), list(modules.values())
    if _Seen.names != names or not all(map(operator.is_, _Seen.modules, things)):
        _Seen.names, _Seen.modules = names, things
        _Seen.candidates = list(modules.items())
    _Seen.candidates = [
        (name, module) for name, module in _Seen.candidates if _of_others.get(name) is not module
    ]
    return _Seen.candidates


def _frame_of(generator: Any) -> types.FrameType | None:
    """Of a suspended generator of the trainer."""
    frame: types.FrameType | None = generator.gi_frame
    if frame is None or generator.gi_running or generator.__name__.startswith("<"):
        return None
    return frame if is_user_module(str(frame.f_globals.get("__name__", ""))) else None


_with_generators: set[str] = set()
_of_others: dict[str, Any] = {}  # modules, by name: a search is made at every begin


def _has_generator_function(name: str, module: Any) -> bool:
    if name in _with_generators:
        return True
    if not is_user_module(name):
        _of_others[name] = module
        return False
    found = any(code.co_flags & inspect.CO_GENERATOR for code in _codes(name))
    if found:
        _with_generators.add(name)
    return found


def _codes(module_name: str) -> Iterator[types.CodeType]:
    """Code of the functions and methods of a module, and of functions inside of them."""
    for thing in list(vars(sys.modules[module_name]).values()):
        members = list(vars(thing).values()) if type(thing) is type else [thing]
        for member in members:
            if isinstance(member, types.FunctionType) and member.__module__ == module_name:
                yield from _nested(member.__code__)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and not constant.co_name.startswith("<"):
            yield from _nested(constant)
