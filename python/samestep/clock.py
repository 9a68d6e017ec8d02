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
        if not count.stepped:
            count.stepped, count.steps = True, max(count.steps, self._completed)
        count.steps += 1
        before = self._completed
        self._completed = max(before, self._least())
        return self._completed > before

    def _least(self) -> int:
        counts = list(self._counts.values())
        stepping = [count.steps for count in counts if count.stepped]
        if self.stepping_count is not None and len(stepping) < self.stepping_count:
            return self._completed
        if self.stepping_count is None:
            most = max(stepping)
            idle = [c for c in counts if not c.stepped and most - c.seen_from < 2]
            if idle:
                return self._completed
        return min(stepping)

    def stepped(self) -> list[Any]:
        """The optimizers that have stepped."""
        return [optimizer for optimizer, count in self._counts.items() if count.stepped]
