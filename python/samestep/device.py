"""Tensors of a device in a capture in the background: the trainer does not wait for the device.

What only the optimizer changes is read where it lies, beside forward and backward; of what may
change sooner a copy is made on the device, in the order of the trainer's stream. Both are copied to
pinned memory of the host piece by piece, on a stream of their own that has waited for the trainer's
at the begin. At the barrier the host has all it needs, so that whatever the trainer asks of the
device after it comes later.
"""

import sys
from collections.abc import Iterator
from typing import Any

import torch

from samestep._core import Session, View
from samestep.entry import Entry
from samestep.lent import Lent
from samestep.tensors import PLAIN_KINDS, dtype_name, is_there, local_part, whole_of

PIECE_BYTES = 16 << 20
COPIED_BYTES_MAX = 256 << 20  # on each device, of one record
_SMALL_BYTES = 64 << 10  # copied rather than watched
_NEEDED = ("Stream", "Event", "current_stream", "stream")


def module_of(tensor: Any) -> Any:
    """torch.cuda or its like; None for a tensor of the host, or of a device without streams."""
    if tensor.is_cpu or tensor.is_meta:
        return None
    module = getattr(torch, tensor.device.type, None) or sys.modules.get(
        f"torch.{tensor.device.type}"
    )
    return module if all(hasattr(module, name) for name in _NEEDED) else None


class Lane:
    """A device during one record: a stream beside the trainer's."""

    def __init__(self, module: Any, device: Any) -> None:
        self._module, self._device = module, device
        self._stream = module.Stream(device=device)
        self.copied_bytes = 0

    def follow(self) -> None:
        """All that the trainer has asked of the device so far comes before what is read."""
        asked = self._module.Event()
        asked.record(self._module.current_stream(self._device))
        self._stream.wait_event(asked)

    def start(self, part: Any, target: Any) -> tuple[Any, Any]:
        """Asks for a copy of `part`, elements side by side, in `target`; the event that tells its
        end, and the bytes."""
        with torch.no_grad(), self._module.stream(self._stream):
            flat = part.resolve_conj().resolve_neg().contiguous().view(-1).view(torch.uint8)
            held = target[: flat.numel()]
            held.copy_(flat, non_blocking=True)
            done = self._module.Event()
            done.record(self._stream)
        return done, held


class Reader:
    """One tensor on its way to the host."""

    def __init__(self, tensor: Any, lane: Lane) -> None:
        self._tensor, self._lane = tensor.detach(), lane

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Address and bytes of row-major pieces, each valid until the next is asked for. The next
        one is on its way while one is read."""
        rows = self._tensor
        if rows.is_contiguous():
            rows = rows.view(-1)
        if rows.numel() == 0:
            return
        row_bytes = rows.nbytes // rows.shape[0]
        step = max(PIECE_BYTES // row_bytes, 1)
        targets = [_pinned(min(step * row_bytes, rows.nbytes)) for _ in range(2)]
        ahead = None
        for number, first in enumerate(range(0, rows.shape[0], step)):
            started = self._lane.start(rows[first : first + step], targets[number % 2])
            if ahead is not None:
                yield _there(*ahead)
            ahead = started
        if ahead is not None:
            yield _there(*ahead)


def _there(done: Any, held: Any) -> tuple[int, int]:
    done.synchronize()
    return held.data_ptr(), held.numel()


def _pinned(count: int) -> Any:
    try:
        return torch.empty(count, dtype=torch.uint8, pin_memory=True)
    except RuntimeError:  # no more memory may be pinned: the copies wait for the device then
        return torch.empty(count, dtype=torch.uint8)


class DeviceLoans:
    """Tensors of devices in one record, in the order in which they come; handed over last."""

    def __init__(self, session: Session, lent: Lent) -> None:
        self._session, self._lent = session, lent
        self._lanes: dict[Any, Lane] = {}
        self._waiting: list[tuple[str, Entry, Any, Any, Lane]] = []

    def take(self, path: str, entry: Entry) -> bool:
        """False: it has to be read at once."""
        if not isinstance(entry.value, torch.Tensor):
            return False
        tensor = local_part(entry.value)
        if type(tensor) not in PLAIN_KINDS or not _is_plain(tensor):
            return False
        module = module_of(tensor)
        if module is None:
            return False
        lane = self._lanes.get(tensor.device)
        if lane is None:
            lane = self._lanes[tensor.device] = Lane(module, tensor.device)
        read = self._to_read(path, entry, tensor, lane)
        if read is None:
            return False
        self._waiting.append((path, entry, tensor, read, lane))
        return True

    def _to_read(self, path: str, entry: Entry, tensor: Any, lane: Lane) -> Any:
        """The tensor itself, or a copy on the device; None when that has no room for more."""
        if self._may_lend(path, entry, tensor):
            return tensor
        if lane.copied_bytes + tensor.nbytes > COPIED_BYTES_MAX:
            return None
        try:
            with torch.no_grad():
                copy = tensor.detach().clone()  # in the order of the trainer's stream
        except torch.OutOfMemoryError:
            return None
        lane.copied_bytes += tensor.nbytes
        return copy

    def _may_lend(self, path: str, entry: Entry, tensor: Any) -> bool:
        """Only the optimizer changes it, and any other change would be seen."""
        kind = path.partition("/")[0].partition(".")[0]
        if kind not in ("model", "optimizer") or entry.role not in ("parameter", "moment"):
            return False
        never = path in self._lent.never or tensor.is_inference()
        return not never and tensor.nbytes > _SMALL_BYTES

    def lend(self) -> None:
        for lane in self._lanes.values():
            lane.follow()
        for path, entry, tensor, read, lane in self._waiting:
            self._lent.loans.add(path, read)
            place = (tensor.data_ptr(), dtype_name(tensor.dtype), tensor.shape, tensor.stride())
            self._session.lend_device_tensor(
                path,
                entry.role,
                View.make(*place),
                entry.traits | whole_of(entry.value),
                tensor.untyped_storage().data_ptr(),
                tensor.storage_offset(),
                str(tensor.device),
                tensor.requires_grad,
                Reader(read, lane).pieces,
            )
        self._waiting.clear()


def _is_plain(tensor: Any) -> bool:
    """Elements in memory with strides, as many bytes each; and they are there."""
    strided = tensor.layout is torch.strided and not tensor.is_nested
    return strided and not tensor.is_quantized and is_there(tensor)
