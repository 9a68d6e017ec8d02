"""Remembers the last batches that loaders gave out, as digests and storage addresses."""

from collections import deque
from typing import Any

from samestep.tensors import Unreadable, digest_of_leaves, leaves_of, storage_of

_KEPT = 8


class Batches:
    """Nothing of a batch is kept alive. `taken` are the digests since the last call of it."""

    def __init__(self) -> None:
        self._last: deque[tuple[str, frozenset[int]]] = deque(maxlen=_KEPT)

    def seen(self, batch: Any) -> None:
        """A loader gave out `batch`."""
        leaves = leaves_of(batch)
        if leaves:
            self._last.append((digest_of_leaves(leaves), _storages(leaves)))

    def consumed_by(self, inputs: Any) -> str | None:
        """Digest of the batch that a forward with these inputs uses: the latest one that shares
        storage with them, else the latest; None when no loader has given any."""
        if not self._last:
            return None
        storages = _storages(leaves_of(inputs))
        for digest, own in reversed(self._last):
            if own & storages:
                return digest
        return self._last[-1][0]


def _storages(leaves: list[tuple[str, Any]]) -> frozenset[int]:
    found = set()
    for _, leaf in leaves:
        if hasattr(leaf, "dtype"):
            try:
                found.add(storage_of(leaf))
            except Unreadable:
                continue
    return frozenset(found)
