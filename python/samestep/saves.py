"""Save calls: which are running, and whether one of them changed the live state."""

import contextlib
import threading
from typing import Any

import torch

from samestep.discovery.modules import parameters_of
from samestep.discovery.search import search
from samestep.entry import LeftOut
from samestep.fields import undeclared_of
from samestep.probes.optimizer import group_entries
from samestep.probes.rng import global_stream_entries
from samestep.registry import optimizers
from samestep.tensors import Unreadable, bytes_of

_MARK_BYTES_MAX = 1 << 16
_MARKS_MAX = 4096


class Saves:
    """Counts running save calls by thread; `made` grows with each finished call."""

    def __init__(self) -> None:
        self._running: dict[int, int] = {}
        self._lock = threading.Lock()
        self.made = 0

    def start(self) -> bool:
        """True for the outermost call of this thread."""
        with self._lock:
            depth = self._running.get(threading.get_ident(), 0)
            self._running[threading.get_ident()] = depth + 1
            return depth == 0

    def finish(self) -> None:
        with self._lock:
            key = threading.get_ident()
            depth = self._running.get(key, 0) - 1
            if depth > 0:
                self._running[key] = depth
            else:
                self._running.pop(key, None)
                self.made += 1

    def start_background(self) -> int:
        """A writer that goes on after its call returned; the result ends it."""
        with self._lock:
            key = -1 - len(self._running)
            while key in self._running:
                key -= 1
            self._running[key] = 1
            return key

    def finish_background(self, key: int) -> None:
        with self._lock:
            self._running.pop(key, None)
            self.made += 1

    def running_elsewhere(self) -> bool:
        with self._lock:
            return any(key != threading.get_ident() for key in self._running)


def marks() -> dict[str, Any]:
    """Cheap signs of the live state: digests of the random streams, versions of the parameters."""
    found: dict[str, Any] = {entry.text(): entry.digest() for entry in global_stream_entries()}
    tensors = [p for p in parameters_of(optimizers.alive()) if isinstance(p, torch.Tensor)]
    found["parameters"] = sum(tensor._version for tensor in tensors)
    return found


def undeclared_marks() -> dict[str, str]:
    """Digests of small undeclared state and of what optimizers are set to, by path: a search, so
    not for every save."""
    found: dict[str, str] = {}
    parts = search()
    settings = [
        entry
        for component, optimizer in parts.optimizers.items()
        for entry in group_entries(component, optimizer)
    ]
    for entry in [*settings, *undeclared_of(parts)]:
        small = not entry.is_memory or bytes_of(entry.value) <= _MARK_BYTES_MAX
        if not small or isinstance(entry.value, LeftOut):
            continue
        if len(found) >= _MARKS_MAX:
            break
        with contextlib.suppress(Unreadable):
            found[entry.text()] = entry.digest()
    return found


def streams_of(found: dict[str, Any]) -> dict[str, str]:
    """The random streams among marks: path and digest."""
    return {name: mark for name, mark in found.items() if isinstance(mark, str)}
