"""Field paths as text, and names without the wrappers that trainers put around their parts."""

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
    for kind in type(module).__mro__:
        name = _WRAPPED.get(kind.__name__)
        if name is not None and name in vars(module).get("_modules", {}):
            return name
    return None


def unwrap(module: Any) -> Any:
    """The innermost module that chains of wrappers hold."""
    while (name := inner_name(module)) is not None:
        module = vars(module)["_modules"][name]
    return module


def numbered(kind: str, index: int) -> str:
    return kind if index == 0 else f"{kind}.{index}"
