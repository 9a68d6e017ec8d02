"""Budget: how much of the run's time the optional records have taken."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

_SHARE = 0.05
_FREE_SECONDS = 0.5


class Budget:
    """Counts from its first use; `left` is true while the share of time spent is small."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._spent = 0.0

    @contextmanager
    def spend(self) -> Iterator[None]:
        """Time in the body counts as spent."""
        started = time.perf_counter()
        if self._began is None:
            self._began = started
        try:
            yield
        finally:
            self._spent += time.perf_counter() - started

    def left(self) -> bool:
        if self._began is None:
            return True
        return self._spent <= _FREE_SECONDS + _SHARE * (time.perf_counter() - self._began)
