"""Hands entries to a session's record: paths unique, memory alive during the call."""

from collections.abc import Iterable
from typing import Any

from samestep._core import Session
from samestep.entry import Entry
from samestep.guard import note
from samestep.tensors import Unreadable, whole_of


class Writer:
    """One record of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._taken: dict[str, int] = {}

    def write(self, entries: Iterable[Entry]) -> None:
        """Adds all entries; one that cannot be read is noted and left out."""
        for entry in entries:
            try:
                self._add(entry)
            except (Unreadable, TypeError, ValueError) as error:
                note(f"field {entry.text()}", error)

    def _add(self, entry: Entry) -> None:
        path = self._unique(entry.text())
        if not entry.is_memory:
            self._session.add_value(path, entry.role, entry.value, entry.traits)
            return
        memory: Any = entry.memory()
        entry.traits |= whole_of(entry.value)
        self._session.add_tensor(
            path,
            entry.role,
            memory.view,
            entry.traits,
            memory.storage,
            memory.storage_offset,
            memory.device,
            memory.requires_grad,
        )

    def _unique(self, path: str) -> str:
        count = self._taken[path] = self._taken.get(path, 0) + 1
        return path if count == 1 else f"{path}#{count}"
