"""Nothing of ours reaches the trainer: an error in a hook is noted and training goes on."""

import functools
import json
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_noted: dict[str, int] = {}
_pending: list[str] = []
_kinds_max = 50


def note(where: str, error: BaseException) -> None:
    """Keeps the error, once for each place and kind, until the step log takes it."""
    key = f"{where}: {type(error).__name__}: {error}"
    _noted[key] = _noted.get(key, 0) + 1
    if _noted[key] == 1 and len(_noted) <= _kinds_max:
        last = traceback.extract_tb(error.__traceback__)[-1:]
        place = f"{last[0].filename.rsplit('/', 1)[-1]}:{last[0].lineno}" if last else ""
        _pending.append(json.dumps({"where": where, "error": key, "place": place}))


def take_noted() -> list[str]:
    """The errors since the last call, as JSON objects."""
    taken = list(_pending)
    _pending.clear()
    return taken


def guarded(function: Function) -> Function:
    """`function`, returning None where it would raise."""

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except Exception as error:
            note(function.__qualname__, error)
            return None

    return call  # type: ignore[return-value]
