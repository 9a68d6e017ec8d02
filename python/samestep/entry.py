"""Entry: one field of live state on its way from a probe to a record."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from samestep.names import escape, join
from samestep.tensors import Memory, digest_of, is_array, is_array_scalar, memory_of

# Runs of at most so many numbers become one field each; longer ones are packed into one.
SINGLE_NUMBERS_MAX = 64


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Stands for state that is not recorded; the report is to say so."""

    why: str


class Word(str):
    """A short text that says which of a few things holds: a phase, the name of an enum's member."""


@dataclass(slots=True)
class Entry:
    """`value` is a tensor, an array, a plain value, or LeftOut; `path` are unescaped parts."""

    path: tuple[str, ...]
    role: str
    value: Any
    traits: dict[str, str] = field(default_factory=dict)

    @property
    def is_memory(self) -> bool:
        return isinstance(self.value, torch.Tensor) or is_array(self.value)

    def memory(self) -> Memory:
        return memory_of(self.value)

    def digest(self) -> str:
        return digest_of(self.value)

    def text(self) -> str:
        return join(self.path)


@dataclass(slots=True)
class Group:
    """Fields that lie side by side, on their way together: of each item of `values` the path is
    `path` with the item's name, appended to its last part where `is_prefix`, else as a part.

    `roles` holds those of names that have another one than `role`; `place`, where it is given, is
    the "place" of the group, and items have theirs below.
    """

    path: tuple[str, ...]
    role: str
    values: dict[str, Any]
    traits: dict[str, str]
    is_prefix: bool = False
    roles: dict[str, str] = field(default_factory=dict)
    place: str = ""

    def entry(self, name: str, value: Any) -> Entry:
        if self.is_prefix:
            path = (*self.path[:-1], self.path[-1] + name)
        else:
            path = (*self.path, name)
        traits = dict(self.traits)
        if self.place:
            traits["place"] = f"{self.place}/{escape(name)}"
        return Entry(path, self.roles.get(name, self.role), value, traits)


def singly(fields: Iterable[Entry | Group]) -> Iterator[Entry]:
    """With groups taken apart."""
    for each in fields:
        if type(each) is Group:
            for name, value in each.values.items():
                yield each.entry(name, value)
        else:
            yield each  # type: ignore[misc]


def is_number(thing: Any) -> bool:
    return type(thing) in (bool, int, float)


def packed(thing: Any) -> list[Any] | None:
    """The elements of a list or tuple of only int or only float, None for anything else."""
    if not isinstance(thing, (list, tuple)) or not thing:
        return None
    kind = type(thing[0])
    if kind not in (int, float) or any(type(item) is not kind for item in thing):
        return None
    if kind is int and any(not -(2**63) <= item < 2**63 for item in thing):
        return None
    return list(thing)


def flatten(
    path: tuple[str, ...], thing: Any, role: str, traits: dict[str, str], depth: int = 8
) -> Iterator[Entry]:
    """The leaves of a declared structure (a state dict): tensors, arrays and plain values."""
    if isinstance(thing, torch.Tensor) or is_array(thing):
        yield Entry(path, role, thing, traits)
    elif is_array_scalar(thing):
        yield Entry(path, role, thing.item(), traits)
    elif thing is None or type(thing) in (bool, int, float, str, bytes):
        yield Entry(path, role, thing, traits)
    elif depth > 0:
        numbers = packed(thing)
        if numbers is not None and len(numbers) > SINGLE_NUMBERS_MAX:
            yield Entry(path, role, numbers, traits)
        else:
            for key, child in _children(thing):
                yield from flatten((*path, str(key)), child, role, traits, depth - 1)


def _children(thing: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(thing, dict):
        return list(dict.items(thing))
    if isinstance(thing, (list, tuple)):
        return list(enumerate(thing))
    return ()
