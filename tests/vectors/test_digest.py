"""The digest scheme, implemented a second time from schemas/DIGEST.md, gives the vectors."""

import json
import struct
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
VECTORS = json.loads((HERE / "digest.json").read_text())
PROSE = (HERE.parents[1] / "schemas/DIGEST.md").read_text()
CHUNK_BYTES = 65536
DTYPES = {"uint8": 2, "int32": 5, "float32": 12}


def packed(value) -> bytes:
    """Tag byte and payload."""
    ((kind, content),) = value.items()
    if kind == "none":
        return b"\x00"
    if kind == "bool":
        return bytes([1, content])
    if kind == "int" and -(2**63) <= content < 2**63:
        return b"\x02" + content.to_bytes(8, "little", signed=True)
    if kind == "int":
        return b"\x03" + content.to_bytes(content.bit_length() // 8 + 1, "little", signed=True)
    if kind == "float":
        return b"\x04" + struct.pack("<d", content)
    if kind == "str":
        return b"\x05" + content.encode()
    if kind == "bytes":
        return b"\x06" + bytes.fromhex(content)
    tag, form = {"ints": (7, "q"), "floats": (8, "d")}[kind]
    return bytes([tag]) + struct.pack(f"<{len(content)}{form}", *content)


def root(xxh3, data: bytes, dtype: int, shape: list[int]) -> str:
    record = struct.pack("<IBI", VECTORS["scheme"], dtype, len(shape))
    record += struct.pack(f"<{len(shape)}q", *shape) + struct.pack("<Q", len(data))
    for start in range(0, len(data), CHUNK_BYTES):
        chunk = xxh3(data[start : start + CHUNK_BYTES])
        record += struct.pack("<QQ", chunk.low, chunk.high)
    whole = xxh3(record)
    return f"{whole.high:016x}{whole.low:016x}"


@pytest.mark.parametrize("vector", VECTORS["values"], ids=lambda v: json.dumps(v["value"]))
def test_values(xxh3, vector):
    assert root(xxh3, packed(vector["value"]), 0, []) == vector["digest"]


@pytest.mark.parametrize(
    "vector", VECTORS["tensors"], ids=lambda v: f"{v['dtype']}{v['shape']}".replace(" ", "")
)
def test_tensors(xxh3, vector):
    if "ramp" in vector:
        data = bytes((i * 7 + i // 251) & 255 for i in range(vector["ramp"]))
    else:
        data = bytes.fromhex(vector["bytes"])
    assert root(xxh3, data, DTYPES[vector["dtype"]], vector["shape"]) == vector["digest"]


def test_prose_has_the_same_vectors():
    digests = [vector["digest"] for vector in VECTORS["values"] + VECTORS["tensors"]]
    assert [digest for digest in digests if f"`{digest}`" not in PROSE] == []
    assert PROSE.count("| `") == len(digests)
