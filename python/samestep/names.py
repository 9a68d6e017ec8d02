"""Field paths as text, and names without the wrappers that trainers put around their parts."""

import functools
from collections.abc import Iterable
from typing import Any

# Attributes under which wrappers hold what they wrap, by the wrapper's class name.
_WRAPPED = {
    "DistributedDataParallel": "module",
    "DataParallel": "module",
    "OptimizedModule": "_orig_mod",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "CheckpointWrapper": "_checkpoint_wrapped_module",
    "ActivationWrapper": "_checkpoint_wrapped_module",
    "OffloadWrapper": "_checkpoint_wrapped_module",
    "DeepSpeedEngine": "module",
    "_LightningModuleWrapperBase": "_forward_module",
    "_FabricModule": "_forward_module",
}


def escape(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1") if "~" in part or "/" in part else part


def join(parts: Iterable[str]) -> str:
    """The canonical text of a field path from unescaped parts."""
    text = "/".join(parts := tuple(parts))
    if "~" in text or text.count("/") >= len(parts):
        return "/".join(map(escape, parts))
    return text


def class_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def inner_name(module: Any) -> str | None:
    """Name of the submodule that `module` merely wraps; None when it is no wrapper."""
    names = _inner_names(type(module))  # type: ignore[arg-type]
    if names:
        modules = vars(module).get("_modules", {})
        return next((name for name in names if name in modules), None)
    return None


@functools.cache
def _inner_names(kind: type) -> tuple[str, ...]:
    found = (_WRAPPED.get(base.__name__) for base in kind.__mro__)
    return tuple(name for name in found if name is not None)


def unwrap(module: Any) -> Any:
    """The innermost module that chains of wrappers hold."""
    while (name := inner_name(module)) is not None:
        module = vars(module)["_modules"][name]
    return module


def numbered(kind: str, index: int) -> str:
    return kind if index == 0 else f"{kind}.{index}"
