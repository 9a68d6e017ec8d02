"""Wraps functions and methods of others, before and after their call."""

import functools
from collections.abc import Callable
from typing import Any

from samestep.guard import note

Before = Callable[..., Any]
After = Callable[..., Any]


def around(owner: Any, name: str, before: Before | None = None, after: After | None = None) -> bool:
    """Has `owner.name` call `before(args, keywords) -> token`, then the original, then
    `after(token, args, keywords, result)`; `after` runs with result None when the original raised.
    Errors in both are noted, never raised. False when there is nothing to wrap or it is wrapped.
    """
    original = vars(owner).get(name) if isinstance(owner, type) else getattr(owner, name, None)
    if not callable(original) or hasattr(original, "_samestep_original"):
        return False

    @functools.wraps(original)
    def call(*args: Any, **keywords: Any) -> Any:
        token = _noted(before, name, args, keywords)
        result = None
        try:
            result = original(*args, **keywords)
        finally:
            _noted(after, name, token, args, keywords, result)
        return result

    call._samestep_original = original  # type: ignore[attr-defined]
    setattr(owner, name, call)
    return True


def _noted(function: Callable[..., Any] | None, name: str, *args: Any) -> Any:
    if function is None:
        return None
    try:
        return function(*args)
    except Exception as error:
        note(name, error)
        return None
