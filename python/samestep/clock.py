"""Counts completed optimizer steps of a training with one or several optimizers."""

import weakref
from typing import Any


class _Count:
    __slots__ = ("steps", "stepped", "seen_from")

    def __init__(self, completed: int) -> None:
        self.steps = self.seen_from = completed
        self.stepped = False


class Clock:
    """`completed` is the least count over the optimizers that step in this training.

    Which ones those are is told by the plan, or found out: an optimizer that has not stepped while
    another made two steps or more takes no part.
    """

    def __init__(self) -> None:
        self._counts: weakref.WeakKeyDictionary[Any, _Count] = weakref.WeakKeyDictionary()
        self._completed = 0
        self.stepping_count: int | None = None
        self.joined_late = False  # an optimizer stepped first after the count went on without it
        self.is_uneven = False  # such a one fell behind again: their paces differ

    @property
    def completed(self) -> int:
        return self._completed

    def add(self, optimizer: Any) -> None:
        if optimizer not in self._counts:
            self._counts[optimizer] = _Count(self._completed)

    def step(self, optimizer: Any) -> bool:
        """One step (or one skipped by a loss scaler) of `optimizer`; True when `completed` grew."""
        self.add(optimizer)
        count = self._counts[optimizer]
        if not count.stepped and self._is_left_out(count):
            count.steps = self._completed  # joins a training that went on without it
            self.joined_late = True
        else:
            count.steps = 1 + (count.steps if count.stepped else self._completed)
        count.stepped = True
        self.is_uneven |= self.joined_late and count.steps - self._slowest() >= 2
        before = self._completed
        self._completed = max(before, self._least())
        return self._completed > before

    def _slowest(self) -> int:
        return min(count.steps for count in self._counts.values() if count.stepped)

    def _least(self) -> int:
        counts = list(self._counts.values())
        stepping = [count.steps for count in counts if count.stepped]
        if self.stepping_count is not None:
            all_there = len(stepping) >= self.stepping_count
        else:
            all_there = all(count.stepped or self._is_left_out(count) for count in counts)
        return min(stepping) if all_there else self._completed

    def _is_left_out(self, count: _Count) -> bool:
        if self.stepping_count is not None:
            return False
        stepping = [other.steps for other in self._counts.values() if other.stepped]
        return bool(stepping) and max(stepping) - count.seen_from >= 2

    def stepped(self) -> list[Any]:
        """The optimizers that have stepped."""
        return [optimizer for optimizer, count in self._counts.items() if count.stepped]
