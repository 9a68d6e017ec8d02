"""Runs a function once a module has been imported, and leaves no trace on the module."""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_waiting: dict[str, list[Callable[[], None]]] = {}


class _Finder(MetaPathFinder):
    """Finds nothing itself: asks the other finders and has their loader call back."""

    def __init__(self) -> None:
        self._asking: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _waiting or fullname in self._asking:
            return None
        self._asking.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asking.discard(fullname)
        if spec is not None and spec.loader is not None:
            _call_back_after(spec.loader, fullname)
        return spec


def _call_back_after(loader: object, fullname: str) -> None:
    original = loader.exec_module  # type: ignore[attr-defined]

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module  # type: ignore[attr-defined]
        original(module)
        _run(fullname)

    loader.exec_module = exec_module  # type: ignore[attr-defined]


def _run(fullname: str) -> None:
    for callback in _waiting.pop(fullname, []):
        try:
            callback()
        except Exception as error:
            print(f"samestep: hooks for {fullname} are not in place: {error!r}", file=sys.stderr)


def after_import(fullname: str, callback: Callable[[], None]) -> None:
    """Calls `callback` right after `fullname` was imported; at once when it is there already."""
    _waiting.setdefault(fullname, []).append(callback)
    if fullname in sys.modules:
        _run(fullname)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
