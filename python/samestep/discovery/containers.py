"""Plain containers: what they hold, each under a stable text; no code of a subclass runs."""

import enum
from collections import deque
from collections.abc import Iterator
from typing import Any

from samestep.discovery.attributes import is_a
from samestep.tensors import is_array_scalar

CHILDREN_MAX = 1024
# Longer rows of rows (transitions of a replay memory, lines of a history) are one field.
ROWS_MAX = 64
_SETS = (set, frozenset)
_KINDS = (dict, list, tuple, deque, *_SETS)


def is_container(thing: Any) -> bool:
    return is_a(thing, _KINDS)


def is_row(thing: Any) -> bool:
    return is_a(thing, (list, tuple, deque, *_SETS))


def _base(container: Any) -> Any:
    return next(kind for kind in _KINDS if is_a(container, kind))


def size(container: Any) -> int:
    if type(container) in _KINDS:
        return len(container)
    return int(_base(container).__len__(container))


def elements(row: Any) -> list[Any]:
    """Those of a set in an order that each process has; none where there is no such."""
    found = list(row) if type(row) in _KINDS else list(_base(row).__iter__(row))
    if not is_a(row, _SETS):
        return found
    if all(type(item) in (int, float) for item in found):
        return sorted(found)
    texts = [key_text(item) for item in found]
    if None in texts:
        return []
    return [found[index] for index in sorted(range(len(found)), key=lambda i: str(texts[i]))]


def items(container: Any) -> Iterator[tuple[str, Any]]:
    """Children with the text of their keys; none of an optimizer's state dict that somebody holds:
    a copy of state is no state."""
    if not is_a(container, dict):
        yield from ((str(index), value) for index, value in enumerate(elements(container)))
    elif not _is_optimizer_state(container):
        for key, value in list(dict.items(container)):
            text = key_text(key)
            if text is not None:
                yield text, value


def is_too_long(container: Any) -> bool:
    """To be one field rather than many."""
    count = size(container)
    if count <= ROWS_MAX or count > CHILDREN_MAX:
        return count > CHILDREN_MAX
    return is_a(container, (list, deque)) and is_container(elements(container)[0])


def key_text(key: Any) -> str | None:
    """The same in each process; None for a key that has none."""
    if type(key) is str:
        return key
    if type(key) in (int, bool, float):
        return repr(key)
    if is_a(key, enum.Enum):
        return member_text(key)
    if is_array_scalar(key):
        return key_text(key.item())
    if type(key) is not tuple:
        return None
    texts = [key_text(part) for part in key]
    return None if None in texts else "(" + ", ".join(map(str, texts)) + ")"


def member_text(member: Any) -> str:
    """`Phase.WARMUP`, without a look at what its class makes of itself."""
    return f"{type(member).__name__}.{object.__getattribute__(member, '_name_')}"


def _is_optimizer_state(container: Any) -> bool:
    return dict.__contains__(container, "param_groups") and dict.__contains__(container, "state")
