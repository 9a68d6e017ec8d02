"""Hands entries to a session's record: paths unique, memory alive during the call."""

from collections.abc import Callable, Iterable

from samestep._core import Session
from samestep.entry import Entry
from samestep.guard import note
from samestep.lent import Lent
from samestep.tensors import Memory, Unreadable, whole_of


class Writer:
    """One record of a session. With `lent`, what that may take is lent, after all else."""

    def __init__(self, session: Session, lent: Lent | None = None) -> None:
        self._session = session
        self._taken: dict[str, int] = {}
        self._lent = lent
        self._later: list[tuple[str, Entry, Memory]] = []

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
        memory = entry.memory()
        entry.traits |= whole_of(entry.value)
        if self._lent is not None and self._lent.may_take(path, entry, memory):
            self._later.append((path, entry, memory))
        else:
            self._give(self._session.add_tensor, path, entry, memory)

    def lend(self) -> None:
        """Last of all."""
        if self._lent is None:
            return
        for path, entry, memory in self._later:
            self._lent.add(path, entry.value)
            self._give(self._session.add_tensor_later, path, entry, memory)

    def _give(self, add: Callable[..., None], path: str, entry: Entry, memory: Memory) -> None:
        add(
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
