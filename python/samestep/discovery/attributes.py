"""Reads what an object holds without running any code of its class."""

import argparse
import functools
import inspect
import sys
import types
from collections.abc import Iterator
from functools import partial
from typing import Any

# Bases from these add nothing of their own to an instance.
_LIBRARY_WITHOUT_STATE = {"builtins", "abc", "typing", "collections", "enum", "dataclasses"}


def is_a(thing: Any, kinds: type | tuple[type, ...]) -> bool:
    """isinstance by the real type alone: asks no `__class__` property of a proxy."""
    return issubclass(type(thing), kinds)


def attributes(thing: Any) -> dict[str, Any]:
    """Instance dictionary and slots; no property, no __getattr__.

    Of a class derived from the standard library's (a thread) the private ones are left out.
    """
    found = _all_attributes(thing)
    if _has_library_base(type(thing)):
        return {name: value for name, value in found.items() if not name.startswith("_")}
    return found


def _has_library_base(kind: type) -> bool:
    roots = {base.__module__.partition(".")[0] for base in kind.__mro__}
    return bool((roots & sys.stdlib_module_names) - _LIBRARY_WITHOUT_STATE)


def _all_attributes(thing: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in type(thing).__mro__:
        for name, member in vars(kind).items():
            if type(member) is types.MemberDescriptorType and name not in found:
                try:
                    found[name] = member.__get__(thing)
                except AttributeError:
                    continue
    try:
        own = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return found
    if isinstance(own, dict):
        found.update((key, value) for key, value in list(own.items()) if isinstance(key, str))
    return found


@functools.cache
def saved_names(kind: type) -> frozenset[str] | None:
    """Attributes that the class's own state_dict() reads, by its code, which is not run; None: all
    of them. Empty where it has no such method, or cannot load what that gives."""
    method = inspect.getattr_static(kind, "state_dict", None)
    if not is_a(method, types.FunctionType) or not hasattr(kind, "load_state_dict"):
        return frozenset()
    names: set[str] = set()
    codes = [method.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        names.update(text for text in code.co_consts if type(text) is str)
        codes.extend(inner for inner in code.co_consts if is_a(inner, types.CodeType))
    return None if names & {"__dict__", "vars", "__slots__"} else frozenset(names)


def captured(thing: Any) -> Iterator[tuple[str, Any]]:
    """What functions, partials and bound methods hold."""
    if is_a(thing, types.MethodType):
        yield "__self__", thing.__self__
    elif is_a(thing, types.FunctionType):
        names = thing.__code__.co_freevars
        for name, cell in zip(names, thing.__closure__ or (), strict=False):
            try:
                yield name, cell.cell_contents
            except ValueError:
                continue
        yield from vars(thing).items()
        yield from _defaults(thing)
    elif is_a(thing, partial):
        yield "func", thing.func
        yield from ((f"args.{index}", value) for index, value in enumerate(thing.args))
        yield from thing.keywords.items()


def _defaults(function: Any) -> Iterator[tuple[str, Any]]:
    """Dicts and lists that all calls of a function share."""
    code, defaults = function.__code__, function.__defaults__ or ()
    first = code.co_argcount - len(defaults)
    named = dict(zip(code.co_varnames[first : code.co_argcount], defaults, strict=False))
    for name, thing in (named | (function.__kwdefaults__ or {})).items():
        if is_a(thing, (dict, list)):
            yield name, thing


def class_values(kind: type) -> dict[str, Any]:
    """Data in a class itself: counts over all objects, and shared tables."""
    return {
        name: value
        for name, value in list(vars(kind).items())
        if not name.startswith("__") and not name.isupper() and not name.startswith("_abc")
    }


def is_namespace(thing: Any) -> bool:
    return is_a(thing, (types.SimpleNamespace, argparse.Namespace))


def is_capturing(thing: Any) -> bool:
    return is_a(thing, (types.MethodType, types.FunctionType, partial))
