"""Memory of the trainer that a capture in the background still reads, and whether it stayed so."""

from dataclasses import dataclass
from typing import Any

import torch

from samestep.entry import Entry
from samestep.tensors import Memory

_ROLES = ("parameter", "moment")
_COMPONENTS = ("model", "optimizer")
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


@dataclass(slots=True)
class _Loan:
    path: str
    tensor: Any
    storage: Any  # keeps the memory where `tensor` is given other memory
    version: int
    pointer: int

    def is_changed(self) -> bool:
        tensor = self.tensor
        return bool(tensor._version != self.version or tensor.data_ptr() != self.pointer)


class Lent:
    """Of one capture, in the order in which the session was given the fields."""

    def __init__(self) -> None:
        self._loans: list[_Loan] = []
        self._settled = 0
        self.never: set[str] = set()  # fields that this trainer changes too early

    def may_take(self, path: str, entry: Entry, memory: Memory) -> bool:
        """Only the optimizer changes it, and a change would be seen."""
        tensor = entry.value
        plain = type(tensor) in (torch.Tensor, torch.nn.Parameter)
        return (
            plain
            and entry.role in _ROLES
            and entry.path[0].partition(".")[0] in _COMPONENTS
            and memory.device == "cpu"
            and not tensor.is_inference()
            and path not in self.never
        )

    def add(self, path: str, tensor: Any) -> None:
        """Before the session is given the memory."""
        storage = tensor.untyped_storage()
        self._loans.append(_Loan(path, tensor, storage, tensor._version, tensor.data_ptr()))

    def settle(self, count: int) -> None:
        """The first `count` are not read any more; raises Changed."""
        loans = self._loans[self._settled : count]
        changed = [loan.path for loan in loans if loan.is_changed()]
        if changed:
            self.never.update(changed)
            raise Changed(changed)
        self._loans[self._settled : count] = [None] * len(loans)  # type: ignore[list-item]
        self._settled = max(self._settled, count)

    def settle_all(self) -> None:
        self.settle(len(self._loans))

    def clear(self) -> None:
        self._loans, self._settled = [], 0


def may_lend(modules: dict[str, Any]) -> bool:
    """No wrapper of the model frees parameters while others hold them."""
    kinds = {type(part) for module in modules.values() for part in module.modules()}
    names = {base.__name__ for kind in kinds for base in kind.__mro__}
    return names.isdisjoint(_FREEING)
