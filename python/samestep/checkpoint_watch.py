"""Watches for checkpoints that are written without any save call that we know."""

import glob
import os


class CheckpointWatch:
    """`changed` compares what matches the plan's pattern with the last look."""

    def __init__(self, out: str, pattern: str) -> None:
        self._pattern = os.path.join(glob.escape(out), pattern) if out and pattern else ""
        self._last: list[tuple[str, int, int]] = []

    def look(self) -> None:
        self._last = self._matches()

    def changed(self) -> bool:
        """Something appeared or was replaced since `look`."""
        return self._matches() != self._last

    def _matches(self) -> list[tuple[str, int, int]]:
        if not self._pattern:
            return []
        found = []
        for path in sorted(glob.glob(self._pattern, recursive=True)):
            try:
                status = os.stat(path)
            except OSError:
                continue
            found.append((path, status.st_mtime_ns, status.st_size))
        return found
