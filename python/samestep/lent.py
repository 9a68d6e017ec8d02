"""Memory of the trainer that a capture in the background still reads, and whether it stayed so."""

import functools
from collections.abc import Iterable
from typing import Any

from samestep._core import Loans

# They free the memory of a tensor that others still hold.
_FREEING = ("FullyShardedDataParallel", "FSDPModule")
_NAMED_MAX = 3


class Changed(Exception):
    """Fields were changed before the optimizer's step; `paths` are theirs."""

    def __init__(self, paths: list[str]) -> None:
        more = f" and {len(paths) - _NAMED_MAX} more" if len(paths) > _NAMED_MAX else ""
        super().__init__(
            f"{', '.join(paths[:_NAMED_MAX])}{more}: changed between the begin of the step and "
            "the optimizer, so this capture is dropped; change it after the optimizer's step, or "
            "record without `background`"
        )
        self.paths = paths


class Lent:
    """Of one capture, in the order in which the session was given the fields."""

    def __init__(self) -> None:
        self.loans = Loans()
        self._settled = 0
        self.never: set[str] = set()  # fields that this trainer changes too early

    def settle(self, count: int) -> None:
        """The first `count` are not read any more; raises Changed."""
        changed = self.loans.changed(self._settled, count)
        if changed:
            self.never.update(changed)
            raise Changed(changed)
        self.loans.release(self._settled, count)
        self._settled = max(self._settled, count)

    def settle_all(self) -> None:
        self.settle(len(self.loans))

    def clear(self) -> None:
        self.loans.clear()
        self._settled = 0


def may_lend(modules: Iterable[Any]) -> bool:
    """None of the modules is a wrapper that frees parameters while others hold them."""
    kinds: set[Any] = {type(module) for module in modules}
    return not any(_frees(kind) for kind in kinds)


@functools.cache
def _frees(kind: type) -> bool:
    return any(base.__name__ in _FREEING for base in kind.__mro__)
