"""The execution contract as Python sees it: what decides bits beside state.

Processor, threads of the machine and environment variables are added by the C++ side.
"""

import functools
import hashlib
import json
import platform
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

import torch

from samestep.discovery.parts import Parts
from samestep.names import class_name

_PACKAGES = (
    "torch", "numpy", "transformers", "accelerate", "lightning", "pytorch_lightning", "torchdata",
    "deepspeed", "datasets", "safetensors", "triton", "torchvision", "torchaudio", "apex",
)  # fmt: skip
_SCRIPT_BYTES_MAX = 16 << 20


def clauses_of(parts: Parts) -> dict[str, str]:
    """Clause names and their values as JSON text."""
    found: dict[str, Any] = {"python.version": platform.python_version()}
    for name in _PACKAGES:
        if name in sys.modules:
            found[f"{name}.version"] = _version(name)
    found |= _torch_flags() | _distributed() | _script()
    for component, optimizer in parts.optimizers.items():
        found |= _optimizer(component, optimizer)
    for component, loader in parts.loaders.items():
        found |= _loader(component, loader)
    found["model.compiled"] = any(
        type(module).__name__ == "OptimizedModule" or "_compiled_call_impl" in vars(module)
        for module in parts.modules.values()
    )
    return {name: json.dumps(value, sort_keys=True) for name, value in found.items()}


@functools.cache
def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return str(getattr(sys.modules[name], "__version__", "unknown"))


def _dtype_text(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


# Each is asked on its own: some of these refuse to answer beside newer settings of the same thing.
_FLAGS: dict[str, Callable[[], Any]] = {
    "torch.num_threads": torch.get_num_threads,
    "torch.num_interop_threads": torch.get_num_interop_threads,
    "torch.deterministic_algorithms": torch.are_deterministic_algorithms_enabled,
    "torch.float32_matmul_precision": torch.get_float32_matmul_precision,
    "torch.default_dtype": lambda: _dtype_text(torch.get_default_dtype()),
    "torch.cpu_capability": lambda: torch.backends.cpu.get_cpu_capability(),
    "torch.mkldnn": lambda: bool(torch.backends.mkldnn.enabled),
    "torch.autocast.cpu": lambda: torch.is_autocast_enabled("cpu"),
    "torch.autocast.cpu_dtype": lambda: _dtype_text(torch.get_autocast_dtype("cpu")),
    "torch.git_version": lambda: torch.version.git_version,
    "torch.flush_denormal": lambda: _flushes_denormals(),
    "torch.cudnn.deterministic": lambda: torch.backends.cudnn.deterministic,
    "torch.cudnn.benchmark": lambda: torch.backends.cudnn.benchmark,
    "torch.cudnn.allow_tf32": lambda: torch.backends.cudnn.allow_tf32,
    "torch.cuda.matmul.allow_tf32": lambda: torch.backends.cuda.matmul.allow_tf32,
}
_CUDA_FLAGS: dict[str, Callable[[], Any]] = {
    "torch.cuda.version": lambda: torch.version.cuda,
    "torch.cuda.device": lambda: torch.cuda.get_device_name(),
    "torch.cuda.autocast": lambda: torch.is_autocast_enabled("cuda"),
    "torch.cudnn.version": lambda: torch.backends.cudnn.version(),
}


def _torch_flags() -> dict[str, Any]:
    asked = _FLAGS | (_CUDA_FLAGS if torch.cuda.is_initialized() else {})
    found = {}
    for name, ask in asked.items():
        try:
            found[name] = ask()
        except (RuntimeError, AttributeError, TypeError):
            continue
    return found


def _flushes_denormals() -> bool:
    """Whether this thread's arithmetic treats the least normal number's half as zero."""
    return sys.float_info.min / 2 == 0.0


def _distributed() -> dict[str, Any]:
    distributed = torch.distributed
    if not distributed.is_available() or not distributed.is_initialized():
        return {"distributed.world_size": 1}
    return {
        "distributed.world_size": distributed.get_world_size(),
        "distributed.backend": distributed.get_backend(),
    }


def _script() -> dict[str, Any]:
    """SHA-256 of the main script."""
    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    if not isinstance(path, str):
        return {}
    try:
        with open(path, "rb") as file:
            content = file.read(_SCRIPT_BYTES_MAX)
    except OSError:
        return {}
    return {"script.sha256": hashlib.sha256(content).hexdigest()}


def _optimizer(component: str, optimizer: Any) -> dict[str, Any]:
    found: dict[str, Any] = {f"{component}.class": class_name(type(optimizer))}
    for key in ("fused", "foreach", "capturable", "differentiable"):
        values = [group.get(key) for group in optimizer.param_groups]
        if any(value is not None for value in values):
            found[f"{component}.{key}"] = values
    return found


def _loader(component: str, loader: Any) -> dict[str, Any]:
    own = vars(loader)
    found: dict[str, Any] = {}
    for key, clause in (
        ("num_workers", "num_workers"),
        ("batch_size", "batch_size"),
        ("prefetch_factor", "prefetch_factor"),
        ("drop_last", "drop_last"),
        ("persistent_workers", "persistent_workers"),
    ):
        value = own.get(key)
        if value is None or isinstance(value, (bool, int)):
            found[f"{component}.{clause}"] = value
    return found
