"""The fingerprint scheme, written a second time after schemas/FINGERPRINT.md: the same vectors."""

import itertools
import json
import math
import struct
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
VECTORS = json.loads((HERE / "fingerprint.json").read_text())["tensors"]
PROSE = (HERE.parents[1] / "schemas/FINGERPRINT.md").read_text()
MASK = 2**64 - 1
DTYPES = {"uint8": 2, "float32": 12, "bfloat16": 11, "float64": 13, "complex128": 16}
BYTES = {"uint8": 1, "float32": 4, "bfloat16": 2, "float64": 8, "complex128": 16}


def turn(y: int) -> int:
    return (y << 32 | y >> 32) & MASK


def f(y: int) -> int:
    return (y + (y & 0xFFFFFFFF) * (y >> 32)) & MASK


def mix(w: int, x: int) -> int:
    left = (w * 0x9E3779B97F4A7C15 + 0x6A09E667F3BCC908) & MASK
    right = (x + f(left)) & MASK
    left = (turn(left) + f(right)) & MASK
    right = (turn(right) + f(left)) & MASK
    left = (turn(left) + f(right)) & MASK
    right = (turn(right) + f(left)) & MASK
    return left << 64 | right


def mix_undone(value: int) -> tuple[int, int]:
    left, right = value >> 64, value & MASK
    right = turn((right - f(left)) & MASK)
    left = turn((left - f(right)) & MASK)
    right = turn((right - f(left)) & MASK)
    left = turn((left - f(right)) & MASK)
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    return (left - 0x6A09E667F3BCC908) * inverse & MASK, (right - f(left)) & MASK


def elements(data: bytes, item: int) -> list[bytes]:
    return [data[at : at + item] for at in range(0, len(data), item)]


def sum_of(parts: dict[int, bytes]) -> int:
    """Of elements by their index in the whole."""
    total = 0
    for index, element in parts.items():
        words = [element[at : at + 8] for at in range(0, len(element), 8)]
        for number, word in enumerate(words):
            total += mix(index * len(words) + number & MASK, int.from_bytes(word, "little"))
    return total % 2**128


def content(vector) -> bytes:
    if "ramp" in vector:
        return bytes((i * 7 + i // 251) & 255 for i in range(vector["ramp"]))
    return bytes.fromhex(vector["bytes"])


def whole_of(vector) -> int:
    return sum_of(dict(enumerate(elements(content(vector), BYTES[vector["dtype"]]))))


def name_of(vector) -> str:
    return f"{vector['dtype']}{vector['shape']}".replace(" ", "")


@pytest.mark.parametrize("vector", VECTORS, ids=name_of)
def test_sums(vector):
    assert math.prod(vector["shape"]) * BYTES[vector["dtype"]] == len(content(vector))
    assert f"{whole_of(vector):032x}" == vector["sum"]


@pytest.mark.parametrize("vector", VECTORS, ids=name_of)
def test_bound(xxh3, vector):
    record = b"fpr1" + struct.pack("<BI", DTYPES[vector["dtype"]], len(vector["shape"]))
    record += struct.pack(f"<{len(vector['shape'])}q", *vector["shape"])
    record += whole_of(vector).to_bytes(16, "little")
    halves = xxh3(record)
    assert f"{halves.high:016x}{halves.low:016x}" == vector["bound"]


def test_the_mix_is_one_to_one():
    for w, x in itertools.product(
        (0, 1, 2**32, 2**63, MASK), (0, 1, 2**31, 2**32 - 1, 2**63, MASK)
    ):
        assert mix_undone(mix(w, x)) == (w, x)


@pytest.mark.parametrize("rows", range(1, 4))
def test_parts_add_up(rows):
    data = {i: struct.pack("<f", i * 0.5) for i in range(12)}
    split = [{i: e for i, e in data.items() if i % 4 < rows}]
    split.append({i: e for i, e in data.items() if i % 4 >= rows})
    assert sum(map(sum_of, split)) % 2**128 == sum_of(data)


def test_prose_has_the_same_vectors():
    rows = [f"`{v['sum']}` | `{v['bound']}` |" for v in VECTORS]
    assert [row for row in rows if row not in PROSE] == []
    assert PROSE.count("| `") == 2 * len(VECTORS)
