"""Tensors and arrays as plain memory: pointer, dtype, shape, strides; nothing of theirs is kept."""

import math
import sys
from dataclasses import dataclass
from typing import Any

import torch

from samestep._core import View, digest_value, digest_view


class Unreadable(Exception):
    """The elements do not lie in memory that can be read (meta device, a functional wrapper)."""


class Released(Unreadable):
    """Somebody freed the storage of a tensor that others still hold, as FSDP does between the uses
    of a module: there is nothing at this moment."""


@dataclass(slots=True)
class Memory:
    """A view and what keeps its memory alive; `layout` facts beside it."""

    view: View
    keep: Any
    storage: int
    storage_offset: int
    device: str
    requires_grad: bool


# Of no subclass, whose attributes may run code.
PLAIN_KINDS = (torch.Tensor, torch.nn.Parameter)
_names: dict[Any, str] = {}


def dtype_name(dtype: Any) -> str:
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = str(dtype).removeprefix("torch.")
    return name


def local_part(tensor: Any) -> Any:
    """What of a distributed tensor this rank holds; any other tensor itself."""
    if type(tensor) in PLAIN_KINDS:
        return tensor
    while (slot := vars(type(tensor)).get("_local_tensor")) is not None:
        tensor = slot.__get__(tensor)
    shards = vars(tensor).get("_local_shards")  # of a ShardedTensor
    return shards[0].tensor if type(shards) is list and len(shards) == 1 else tensor


def shape_of(thing: Any) -> tuple[int, ...]:
    """Of a tensor or an array, whatever its class makes of such a question."""
    if is_array(thing) or type(thing) in PLAIN_KINDS:
        return tuple(thing.shape)
    with torch._C.DisableTorchFunctionSubclass():
        return tuple(thing.shape)


def bytes_of(thing: Any) -> int:
    """What this rank holds of a tensor or an array."""
    if is_array(thing) or type(thing) in PLAIN_KINDS:
        return int(thing.nbytes)
    with torch._C.DisableTorchFunctionSubclass():
        return int(local_part(thing).nbytes)


def elements_of(thing: Any) -> int:
    return math.prod(shape_of(thing))


def kept_part(parameter: Any) -> Any:
    """What of a parameter this rank keeps between uses: DeepSpeed's ZeRO-3 gathers the elements of
    a parameter while a module runs, and of some goes on holding them until it thinks otherwise.
    The partition is their state; any other parameter is its own."""
    if "deepspeed" in sys.modules:
        partition = vars(parameter).get("ds_tensor")
        if type(partition) in PLAIN_KINDS and partition.numel() > 0:
            return partition
    return parameter


def whole_of(tensor: Any) -> dict[str, str]:
    """Shape and placement of the distributed tensor that a rank holds a part of."""
    if type(tensor) in PLAIN_KINDS:
        return {}
    spec = vars(type(tensor)).get("_spec")
    if spec is None or local_part(tensor) is tensor:
        return {}
    known = spec.__get__(tensor)
    return {"global_shape": str(list(known.shape)), "placements": str(known.placements)}


def memory_of_tensor(tensor: Any) -> Memory:
    """Raises Unreadable; a tensor of another device is copied to the CPU first."""
    try:
        return _memory_of_local(local_part(tensor))
    except RuntimeError as error:
        raise Unreadable(str(error)) from error


def _memory_of_local(tensor: Any) -> Memory:
    if type(tensor) in PLAIN_KINDS:
        return _memory_of_plain(tensor)
    with torch._C.DisableTorchFunctionSubclass():
        return _memory_of_plain(tensor)


def _memory_of_plain(tensor: Any) -> Memory:
    host, device = tensor, "cpu"
    if tensor.layout is not torch.strided or tensor.is_nested:
        raise Unreadable(f"{tensor.layout} on {tensor.device}")
    if tensor.is_meta:
        raise Unreadable(f"{tensor.layout} on {tensor.device}")
    if not is_there(tensor):  # asked before a device is made to read it
        raise Released(f"the storage of this {list(tensor.shape)} was freed")
    if not tensor.is_cpu:
        device = str(tensor.device)
        with torch.no_grad():
            host = tensor.detach().cpu()
    pointer, shape, strides = host.data_ptr(), host.shape, host.stride()
    if host.is_conj() or host.is_neg():
        view = View.make(
            pointer, dtype_name(host.dtype), shape, strides, host.is_conj(), host.is_neg()
        )
    else:
        view = View.make(pointer, dtype_name(host.dtype), shape, strides)
    storage, offset = tensor.untyped_storage().data_ptr(), tensor.storage_offset()
    return Memory(view, host, storage, offset, device, tensor.requires_grad)


def is_there(tensor: Any) -> bool:
    """All its elements lie inside its storage."""
    shape = tensor.shape
    if 0 in shape:
        return True
    last = sum((n - 1) * stride for n, stride in zip(shape, tensor.stride(), strict=True))
    end = tensor.storage_offset() + last + 1
    held: int = tensor.untyped_storage().nbytes()
    if tensor.is_quantized:  # several elements may share a byte
        return held > 0
    return bool(end * tensor.element_size() <= held)


def memory_of_array(array: Any) -> Memory:
    """A NumPy array of a plain, native dtype; raises Unreadable for any other."""
    if array.dtype.kind not in "biufc" or not array.dtype.isnative:
        raise Unreadable(f"array of {array.dtype}")
    if any(stride % array.itemsize for stride in array.strides):
        raise Unreadable("array with strides that split its elements")
    strides = [stride // array.itemsize for stride in array.strides]
    pointer = array.__array_interface__["data"][0]
    view = View.make(pointer, array.dtype.name, array.shape, strides)
    base = array
    while is_array(base.base):
        base = base.base
    start = base.__array_interface__["data"][0]
    return Memory(view, array, start, (pointer - start) // array.itemsize, "cpu", False)


def is_array(thing: Any) -> bool:
    kind = type(thing)
    return kind not in _NO_ARRAY and _is_of_numpy(kind, "ndarray")


def is_array_scalar(thing: Any) -> bool:
    kind = type(thing)
    return kind not in _NO_ARRAY and _is_of_numpy(kind, "generic")


# The types that are asked about most often.
_NO_ARRAY = {bool, int, float, str, bytes, type(None), list, dict, tuple}
_NO_ARRAY |= {torch.Tensor, torch.nn.Parameter}


def _is_of_numpy(kind: type, name: str) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(kind, getattr(numpy, name))


def memory_of(thing: Any) -> Memory:
    return memory_of_array(thing) if is_array(thing) else memory_of_tensor(thing)


def digest_of(thing: Any) -> str:
    """Digest of a tensor, an array, or a plain value."""
    if isinstance(thing, torch.Tensor) or is_array(thing):
        memory = memory_of(thing)
        return digest_view(memory.view)
    return digest_value(thing)


def storage_of(thing: Any) -> int:
    """Address of the storage of a tensor or an array, whose elements are not read."""
    if is_array(thing):
        return memory_of_array(thing).storage
    tensor = local_part(thing)
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_meta:
        raise Unreadable(f"{tensor.layout} on {tensor.device}")
    try:
        with torch._C.DisableTorchFunctionSubclass():
            return int(tensor.untyped_storage().data_ptr())
    except RuntimeError as error:
        raise Unreadable(str(error)) from error


def leaves_of(thing: Any, path: str = "", depth: int = 6) -> list[tuple[str, Any]]:
    """Tensors, arrays and plain values of a batch or an output, with where they lie in it."""
    if isinstance(thing, torch.Tensor) or is_array(thing):
        return [(path, thing)]
    if type(thing) in (bool, int, float, str, bytes):
        return [(path, thing)]
    if is_array_scalar(thing):
        return [(path, thing.item())]
    if depth == 0:
        return []
    children: list[tuple[Any, Any]] = []
    if isinstance(thing, dict):
        children = list(dict.items(thing))
    elif isinstance(thing, (list, tuple)):
        children = list(enumerate(thing))
    elif hasattr(thing, "__dict__") and not isinstance(thing, (type, torch.nn.Module)):
        children = list(vars(thing).items())
    found: list[tuple[str, Any]] = []
    for key, child in children[:4096]:
        found += leaves_of(child, f"{path}/{key}", depth - 1)
    return found


def digest_of_leaves(leaves: list[tuple[str, Any]]) -> str:
    """One digest for a nested structure; that of a lone tensor is its own."""
    if len(leaves) == 1 and isinstance(leaves[0][1], torch.Tensor):
        return digest_of(leaves[0][1])
    return digest_value("\n".join(f"{path} {digest_of(leaf)}" for path, leaf in leaves))
