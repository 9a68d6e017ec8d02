"""State that a trainer declared with samestep.watch: what its own getters tell."""

from collections.abc import Iterator
from typing import Any

from samestep.discovery.attributes import is_a
from samestep.discovery.found import Path
from samestep.entry import Entry, flatten
from samestep.guard import note
from samestep.names import class_name, join


def watched_entries(path: Path, thing: Any) -> Iterator[Entry]:
    """Below `path`; nothing where a getter of the trainer raises, which is noted."""
    try:
        state = _state_of(thing)
    except Exception as error:
        note(f"watched {join(path)}", error)
        return
    traits = {"declared": "state_dict", "owner": class_name(type(thing))}
    yield from flatten(path, state, "other", traits)


def _state_of(thing: Any) -> Any:
    if hasattr(type(thing), "state_dict"):
        return thing.state_dict()
    if is_a(thing, tuple) and len(thing) == 2 and all(map(callable, thing)):
        return thing[0]()  # a getter and a setter
    return thing() if callable(thing) else thing
