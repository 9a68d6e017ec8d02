"""Hands entries to a session's record: paths unique, memory alive during the call."""

from collections.abc import Iterable

import torch

from samestep._core import FieldWriter, Session
from samestep.device import DeviceLoans
from samestep.entry import Entry, Group, LeftOut
from samestep.guard import note
from samestep.lent import Lent
from samestep.tensors import PLAIN_KINDS, Released, Unreadable, whole_of


class Writer:
    """One record of a session. With `lent`, what that may take is lent, after all else."""

    def __init__(self, session: Session, lent: Lent | None = None) -> None:
        self._session = session
        self.left_out: dict[str, str] = {}  # path -> why
        loans = lent.loans if lent is not None else None
        never = lent.never if lent is not None else set()
        self._fields = FieldWriter(session, Group, PLAIN_KINDS, torch.strided, loans, never)
        self._of_devices = DeviceLoans(session, lent) if lent is not None else None

    def write(self, entries: Iterable[Entry | Group]) -> None:
        """Adds all entries; one that cannot be read is noted and left out."""
        self._fields.write(entries, self._add)

    def lend(self) -> None:
        """Last of all."""
        self._fields.lend()
        if self._of_devices is not None:
            self._of_devices.lend()

    def _add(self, path: str, entry: Entry) -> None:
        """What the extension leaves to us. Without a path: it is no text that could be written."""
        if isinstance(entry.value, LeftOut):
            self.left_out[path or entry.text()] = entry.value.why
            return
        try:
            self._give(path or entry.text().encode().decode(), entry)
        except Released:
            return
        except (Unreadable, TypeError, ValueError) as error:
            note(f"field {entry.text()}", error)

    def _give(self, path: str, entry: Entry) -> None:
        if not entry.is_memory:
            self._session.add_value(path, entry.role, entry.value, entry.traits)
            return
        if self._of_devices is not None and self._of_devices.take(path, entry):
            return
        memory = entry.memory()
        self._session.add_tensor(
            path,
            entry.role,
            memory.view,
            entry.traits | whole_of(entry.value),
            memory.storage,
            memory.storage_offset,
            memory.device,
            memory.requires_grad,
        )
