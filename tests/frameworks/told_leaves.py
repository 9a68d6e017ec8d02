"""Every leaf of a loaded object, as `samestep inspect --digest sha256` must tell it.

A leaf is told by its keys (a string or integer key, an index, {"attr": ..} of an object,
{"repr": ..} of another key) and one of: ("tensor", dtype, shape, sha256), ("array", shape, sha256),
("value", plain value), ("set", sorted values), ("any",) where only its being there is asked for.
"""

import collections
import enum
import hashlib
import json
import math
import struct

import numpy
import torch
from leaves import tensor_sha256

PACKED_MIN = 65
MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)


def key_of(key):
    plain = isinstance(key, (str, int)) and not isinstance(key, bool)
    return key if plain else {"repr": repr(key)}


def told_tensor(tensor, keys, seen):
    def part(name, value):
        return told(value, (*keys, {"attr": name}), seen)

    if tensor.layout == torch.sparse_coo:
        yield from part("indices", tensor._indices())
        yield from part("values", tensor._values())
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        yield from part("compressed_indices", tensor.crow_indices())
        yield from part("plain_indices", tensor.col_indices())
        yield from part("values", tensor.values())
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        yield from part("compressed_indices", tensor.ccol_indices())
        yield from part("plain_indices", tensor.row_indices())
        yield from part("values", tensor.values())
    elif tensor.is_nested:
        if tensor.layout == torch.strided:
            yield from part("buffer", tensor.values())
    else:
        name, shape = str(tensor.dtype).removeprefix("torch."), list(tensor.shape)
        plain = tensor.int_repr() if tensor.is_quantized else tensor
        digest = None if tensor.device.type == "meta" else tensor_sha256(plain)
        yield keys, ("tensor", name, shape, digest)
        known = not tensor.dtype.is_complex and not tensor.is_quantized and "x2" not in name
        if tensor.numel() == 1 and known and digest and not name.startswith("bits"):
            yield keys, ("value", tensor.item())
        for attribute, value in vars(tensor).items():
            yield from part(attribute, value)


def told_array(array, keys, seen):
    if array.dtype == object:
        for index, value in enumerate(array.reshape(-1)):
            yield from told(value, (*keys, index), seen)
        return
    if array.dtype.names is None:
        array = array.astype(array.dtype.newbyteorder("<"))
    digest = hashlib.sha256(numpy.ascontiguousarray(array).tobytes()).hexdigest()
    yield keys, ("array", list(array.shape), digest)


def told_sequence(values, keys, seen):
    kind = type(values[0]) if values else None
    uniform = kind in (int, float) and all(type(value) is kind for value in values)
    if uniform and len(values) >= PACKED_MIN:
        yield keys, ("value", {"numbers": len(values)})
        return
    for index, value in enumerate(values):
        yield from told(value, (*keys, index), seen)


def plain_value(value):
    """What JSON shows of a single value, or `told` when it is none."""
    if isinstance(value, enum.Enum):
        return told
    if value is None or isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": len(value)}
    if isinstance(value, torch.Size):
        return list(value)
    if isinstance(value, (torch.dtype, torch.device, torch.layout)):
        return str(value)
    if isinstance(value, numpy.generic) and value.dtype.kind in "biuf" and value.itemsize <= 8:
        return value.item()
    return told


def told(value, keys=(), seen=()):
    if id(value) in seen:
        return
    seen = (*seen, id(value))
    plain = plain_value(value)
    if plain is not told:
        yield keys, ("value", plain)
    elif isinstance(value, torch.Tensor):
        yield from told_tensor(value, keys, seen)
    elif isinstance(value, (torch.UntypedStorage, torch.TypedStorage)):
        storage = value if isinstance(value, torch.UntypedStorage) else value.untyped()
        digest = hashlib.sha256(bytes(storage)).hexdigest()
        yield (
            (*keys, {"attr": "_untyped_storage"}),
            ("tensor", "uint8", [storage.nbytes()], digest),
        )
    elif isinstance(value, numpy.ndarray) and not isinstance(value, numpy.ma.MaskedArray):
        yield from told_array(value, keys, seen)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from told(item, (*keys, key_of(key)), seen)
        if type(value) not in MAPPINGS:
            yield keys, ("any",)
    elif isinstance(value, (list, tuple, collections.deque)):
        yield from told_sequence(value, keys, seen)
    elif isinstance(value, (set, frozenset)):
        yield keys, ("set", sorted(value, key=repr))
    elif type(value).__module__ == "state_zoo" and not isinstance(value, enum.Enum):
        for name in getattr(value, "__slots__", None) or vars(value):
            yield from told(getattr(value, name), (*keys, {"attr": name}), seen)
    else:
        yield keys, ("any",)


def same_value(got, want) -> bool:
    if want is None or isinstance(want, (bool, str)):
        return type(got) is type(want) and got == want
    if isinstance(want, dict):
        return got == want
    if isinstance(want, list):
        return (
            isinstance(got, list)
            and len(got) == len(want)
            and all(same_value(a, b) for a, b in zip(got, want, strict=True))
        )
    if got is None or isinstance(got, (bool, dict, list)):
        return False
    if isinstance(want, int):
        return int(got) == want
    number = float(got)
    return struct.pack("d", number) == struct.pack("d", want) or (
        math.isnan(number) and math.isnan(want)
    )


def text_of(keys) -> str:
    return json.dumps([key if isinstance(key, dict) else str(key) for key in keys])


def is_told(fields: dict, keys, want) -> bool:
    if want[0] == "set":
        items = [fields.get(text_of((*keys, i)), {}).get("value") for i in range(len(want[1]))]
        extra = text_of((*keys, len(want[1]))) in fields
        return sorted(items, key=repr) == want[1] and not extra
    field = fields.get(text_of(keys))
    if field is None:
        return False
    digest = field.get("digest", {}).get("sha256")
    if want[0] == "tensor":
        told_of = [field.get("dtype"), field.get("shape"), digest if want[3] else None]
        return told_of == list(want[1:])
    if want[0] == "array":
        return [field.get("shape"), digest] == list(want[1:])
    return want[0] == "any" or same_value(field.get("value"), want[1])


def untold(report: dict, loaded) -> list[str]:
    """Leaves of `loaded` that `report` does not tell, or tells otherwise."""
    fields = {}
    for field in report["fields"]:
        fields.setdefault(text_of(field["source"]["keys"]), field)
    leaves = list(told(loaded))
    assert leaves
    return [f"{text_of(keys)}: {want}" for keys, want in leaves if not is_told(fields, keys, want)]
