"""Optimizers, schedulers, scalers, averages of this process, in order of creation, held weakly."""

import weakref
from typing import Any


class Registry:
    """Remembers objects without keeping them alive."""

    def __init__(self) -> None:
        self._entries: list[weakref.ref[Any]] = []
        self._known: set[int] = set()

    def add(self, thing: Any) -> None:
        if id(thing) in self._known:
            return
        self._known.add(id(thing))
        self._entries.append(weakref.ref(thing, self._forget(id(thing))))

    def _forget(self, key: int) -> Any:
        return lambda entry: self._drop(key, entry)

    def _drop(self, key: int, entry: "weakref.ref[Any]") -> None:
        self._known.discard(key)
        if entry in self._entries:
            self._entries.remove(entry)

    def alive(self) -> list[Any]:
        return [thing for entry in list(self._entries) if (thing := entry()) is not None]


optimizers = Registry()
schedulers = Registry()
scalers = Registry()
averages = Registry()
