"""Leaves: the numbers and tensors in plain containers; of a container that is too large or too deep
one digest over all of them."""

from collections.abc import Iterable
from typing import Any

import torch

from samestep._core import digest_value
from samestep.discovery.attributes import attributes, is_a, is_namespace
from samestep.discovery.containers import elements, is_container, is_row, is_too_long, items, size
from samestep.discovery.found import Path
from samestep.discovery.kinds import component_kind, is_generator
from samestep.discovery.origin import is_user_class
from samestep.entry import LeftOut, is_number, packed
from samestep.tensors import Unreadable, bytes_of, digest_of, is_array, is_array_scalar

DEPTH_MAX = 8
RUN_MAX = 65_536
LEAVES_MAX = 1024
_FOLDED_DEPTH_MAX = 24
_FOLDED_OBJECTS_MAX = 2  # one inside of another
_FOLDED_LEAVES_MAX = 65_536
_FOLDED_BYTES_MAX = 64 << 20
_CUT = LeftOut(f"more than {_FOLDED_LEAVES_MAX} values or {_FOLDED_BYTES_MAX >> 20} MiB in one")

_NO_LEAVES = {str, bytes, type(None), type}

Leaf = tuple[Path, Any]


def leaf_of(thing: Any) -> Any:
    """The value of what ends a branch: a number, a tensor, an array, a run of numbers. None of
    anything else."""
    if is_number(thing):
        return thing
    if is_a(thing, torch.Tensor) or is_array(thing):
        return thing
    if is_array_scalar(thing):
        return thing.item()
    if is_row(thing) and 1 < size(thing) <= RUN_MAX:
        return packed(elements(thing))
    return None


def leaves_below(thing: Any) -> list[Leaf]:
    """Of nested containers and namespaces; the trainer's objects in them are met by the search."""
    found: list[Leaf] = []
    if _gather((), thing, found):
        return found
    digest = Fold(thing).value
    return [] if digest is None else [((), digest)]


def _gather(place: Path, thing: Any, found: list[Leaf]) -> bool:
    """False when there are too many."""
    if type(thing) in _NO_LEAVES:
        return True
    value = leaf_of(thing)
    if value is None and is_container(thing):
        if is_too_long(thing) or len(place) >= DEPTH_MAX:
            value = Fold(thing).value
        else:
            return all(_gather((*place, name), child, found) for name, child in items(thing))
    elif value is None and is_namespace(thing) and len(place) < DEPTH_MAX:
        return all(_gather((*place, name), child, found) for name, child in vars(thing).items())
    if value is not None:
        found.append((place, value))
    return len(found) <= LEAVES_MAX


class Fold:
    """Count and digest of all numbers and tensors of a container, in order, those of the trainer's
    objects among them. `is_plain`: there was nothing else that may be state."""

    def __init__(self, container: Any) -> None:
        self.is_plain = True
        self._texts: list[str] = []
        self._count = 0
        self._bytes = 0
        self._inside: set[int] = set()
        self._objects = 0
        self._is_cut = False
        try:
            self._add(container, 0)
        except OverflowError:
            self._is_cut = True

    @property
    def value(self) -> str | LeftOut | None:
        """None where there are no numbers and no tensors; LeftOut where there are too many."""
        if self._is_cut:
            return _CUT
        if self._count == 0:
            return None
        return f"{self._count} values, {digest_value(chr(10).join(self._texts))}"

    def _add(self, thing: Any, depth: int) -> None:
        """Raises OverflowError at the bounds."""
        if is_number(thing):
            self._take(repr(thing), 0)
        elif thing is None or is_a(thing, (str, bytes, type)):
            return
        elif is_a(thing, torch.Tensor) or is_array(thing):
            self._add_memory(thing)
        elif is_array_scalar(thing):
            self._take(repr(thing.item()), 0)
        elif id(thing) not in self._inside:
            if depth >= _FOLDED_DEPTH_MAX or len(self._texts) > 4 * _FOLDED_LEAVES_MAX:
                raise OverflowError
            self._inside.add(id(thing))
            self._enter(thing, depth)
            self._inside.discard(id(thing))

    def _take(self, text: str, size: int) -> None:
        self._count += 1
        self._bytes += size
        self._texts.append(text)
        if self._count > _FOLDED_LEAVES_MAX:
            raise OverflowError

    def _add_memory(self, thing: Any) -> None:
        if is_a(thing, torch.nn.Parameter):
            self.is_plain = False
            return
        length = bytes_of(thing)
        if self._bytes + length > _FOLDED_BYTES_MAX:
            raise OverflowError
        try:
            self._take(digest_of(thing), length)
        except Unreadable:
            self._texts.append("unreadable")

    def _enter(self, thing: Any, depth: int) -> None:
        if is_a(thing, dict):
            self._enter_named(items(thing), depth)
        elif is_container(thing):
            if size(thing) > _FOLDED_LEAVES_MAX:
                raise OverflowError
            self._texts.append("[")
            for child in elements(thing):
                self._add(child, depth + 1)
            self._texts.append("]")
        elif is_namespace(thing):
            self._enter_named(vars(thing).items(), depth)
        elif _is_plain_object(thing):
            self._enter_object(thing, depth)
        else:
            self.is_plain = False

    def _enter_object(self, thing: Any, depth: int) -> None:
        """Not far: what an item of a row refers to is found by other ways."""
        if self._objects < _FOLDED_OBJECTS_MAX:
            self._objects += 1
            self._enter_named(attributes(thing).items(), depth)
            self._objects -= 1

    def _enter_named(self, children: Iterable[tuple[str, Any]], depth: int) -> None:
        for name, child in children:
            self._texts.append(name)
            self._add(child, depth + 1)


def _is_plain_object(thing: Any) -> bool:
    if component_kind(thing) is not None or is_generator(thing):
        return False
    return is_user_class(type(thing))
