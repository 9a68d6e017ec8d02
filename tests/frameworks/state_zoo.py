"""Values that people keep in checkpoints, by kind. Each function gives {name: value}."""

import argparse
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import pathlib
import random
import types
import uuid

import numpy
import torch

DTYPES = [
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16),
    *(torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.bool),
    *(torch.complex32, torch.complex64, torch.complex128),
    *(torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz),
    torch.float8_e8m0fnu,
]


class Subclass(torch.Tensor):
    pass


Point = collections.namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


class Level(enum.IntEnum):
    HIGH = 7


@dataclasses.dataclass
class Options:
    lr: float = 0.1
    weight: torch.Tensor | None = None
    inner: object = None


@dataclasses.dataclass(slots=True)
class Slotted:
    lr: float = 0.1
    weight: torch.Tensor | None = None


class Ordered(collections.OrderedDict):
    pass


class Mapping(dict):
    pass


class Sequence(list):
    pass


def dtypes():
    torch.manual_seed(3)
    values = {}
    for dtype in DTYPES:
        raw = torch.randint(0, 255, (6 * dtype.itemsize,), dtype=torch.uint8)
        whole = (raw % 2 if dtype == torch.bool else raw).view(dtype)
        name = str(dtype)[6:]
        values[name] = whole.reshape(2, 3)
        values[name + " transposed"] = whole.reshape(2, 3).t()
        values[name + " scalar"] = whole.reshape(2, 3)[1, 1]
        values[name + " one"] = whole[2:3]
        values[name + " empty"] = whole[:0]
    values["float4"] = torch.arange(5, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    values["bits8"] = torch.arange(3, dtype=torch.uint8).view(torch.bits8)
    return values


def views():
    torch.manual_seed(4)
    cube, numbers, shared = (
        torch.randn(4, 5, 6),
        torch.randn(4, 6, dtype=torch.complex64),
        torch.randn(100),
    )
    tagged = torch.nn.Parameter(torch.randn(2))
    tagged.tag, tagged.extra = "x", torch.ones(3)
    noted = torch.randn(3).as_subclass(Subclass)
    noted.note = 5
    return {
        "conjugate": numbers.conj(),
        "imaginary": torch.randn(2, 3, dtype=torch.complex64).conj().imag,
        "negative": torch._neg_view(torch.randn(3)),
        "expanded": torch.randn(1, 3).expand(4, 3),
        "strided": cube[::2, 1:, ::3],
        "diagonal": cube[0].diagonal(),
        "channels last": torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        "windows": torch.arange(9).unfold(0, 3, 2),
        "empty": torch.zeros(3, 0, 2),
        "tied": [shared, shared[10:20], shared[15:30], {"again": shared}],
        "parameter": torch.nn.Parameter(torch.randn(2, 3).t()),
        "parameter with attributes": tagged,
        "buffer": torch.nn.Buffer(torch.randn(2)),
        "leaf": torch.randn(2, requires_grad=True),
        "subclass": torch.randn(2).as_subclass(Subclass),
        "subclass with attributes": noted,
        "meta": torch.empty(2, 3, device="meta"),
        "storage": torch.randn(3).untyped_storage(),
    }


def quantised():
    table, values = torch.linspace(-1, 1, 24).reshape(4, 6), {}
    scales, zeros = torch.rand(4).double() + 0.1, torch.zeros(4, dtype=torch.long)
    for dtype in (torch.qint8, torch.quint8, torch.qint32):
        values[f"tensor {dtype}"] = torch.quantize_per_tensor(table, 0.1, 2, dtype)
        values[f"channel {dtype}"] = torch.quantize_per_channel(table, scales, zeros, 0, dtype)
    values["transposed"] = torch.quantize_per_tensor(table, 0.1, 2, torch.qint8).t()
    return values


def sparse():
    table = torch.randn(4, 6, generator=torch.Generator().manual_seed(2)).clamp(min=0)
    return {
        "coo": table.to_sparse(),
        "hybrid": table.to_sparse(1),
        "uncoalesced": torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2)),
        "nothing": torch.sparse_coo_tensor(torch.zeros(2, 0).long(), torch.zeros(0), (3, 3)),
        "csr": table.to_sparse_csr(),
        "csc": table.to_sparse_csc(),
        "bsr": table.to_sparse_bsr((2, 2)),
        "bsc": table.to_sparse_bsc((2, 3)),
        "half": table.half().to_sparse(),
        "parameter": torch.nn.Parameter(table.to_sparse()),
    }


def python():
    looped = [1]
    looped.append(looped)
    slotted = Slotted(weight=torch.ones(3))
    return {
        "ints": [0, -1, 255, 256, -129, 65536, 2**31, -(2**31) - 1, 2**63, -(2**63), 2**64, 10**40],
        "floats": [0.0, -0.0, 1e-320, 1.7e308, float("inf"), float("nan"), 0.1],
        "texts": ["", "a", "é", "\U0001f600", "x" * 300],
        "bytes": [b"", b"a", b"z" * 300, bytearray(b"qq"), bytes(range(256))],
        "others": [True, False, None, 1 + 2j],
        "ordered": collections.OrderedDict(a=1),
        "default": collections.defaultdict(list, {"a": [1]}),
        "counter": collections.Counter("abca"),
        "deque": collections.deque([1, 2, torch.ones(2)], maxlen=4),
        "named tuple": Point(1, torch.ones(2)),
        "dataclass": Options(inner=Options(weight=torch.ones(1))),
        "slots": slotted,
        "enums": [Colour.RED, Colour.BLUE, Level.HIGH],
        "sets": [{1, 2, 3}, frozenset("ab"), set()],
        "range, slice": [range(2, 9, 3), slice(1, None, 2)],
        "numbers": [decimal.Decimal("1.50"), fractions.Fraction(2, 3)],
        "times": [datetime.datetime(2026, 1, 2, 3, 4, 5, 6), datetime.timedelta(1, 2, 3)],
        "paths": [pathlib.Path("/a/b"), pathlib.PureWindowsPath("c:/x")],
        "namespaces": [types.SimpleNamespace(a=1), argparse.Namespace(x=1)],
        "uuid": uuid.UUID(int=40),
        "classes": [Ordered(a=torch.ones(2)), Mapping(a=1), Sequence([1, 2])],
        "keys": {
            1: "i",
            None: 2,
            2.5: 3,
            (1, "a"): 4,
            b"by": 5,
            False: 6,
            "": 7,
            -1: 9,
            10**30: 10,
        },
        "frozen keys": {frozenset([1]): 8},
        "long": [list(range(100)), [i / 2 for i in range(100)], [1, 2.0] * 50, ["a"] * 80],
        "deep": {"a": {"b": [[[[1]]]]}},
        "itself": looped,
        "names": [int, torch.relu, functools.partial(int, base=3), torch.nn.Linear, ...],
        "torch": [torch.device("cuda:1"), torch.float32, torch.Size([1, 2]), torch.sparse_coo],
    }


def arrays():
    random_numbers = numpy.random.default_rng(3).standard_normal((3, 4))
    record = [("a", "i4"), ("b", "f8")]
    return {
        "scalars": [numpy.float32(1.5), numpy.float16(3), numpy.int8(-3), numpy.uint64(2**64 - 1)],
        "odd scalars": [numpy.bool_(True), numpy.complex64(1 + 2j), numpy.longdouble(1.5)],
        "dates": [numpy.datetime64("2026-01-01"), numpy.timedelta64(3, "s")],
        "plain": random_numbers,
        "columns": random_numbers.T,
        "part": numpy.arange(24).reshape(2, 3, 4)[:, ::2, 1:],
        "big-endian": numpy.arange(6, dtype=">i4").reshape(2, 3),
        "texts": [numpy.array(["a", "bcd"]), numpy.array([b"a", b"bc"])],
        "empty": numpy.zeros((0, 3)),
        "single": numpy.array(5.0),
        "objects": numpy.array([1, None, "x", torch.ones(2)], dtype=object),
        "structured": numpy.array([(1, 2.0), (3, 4.0)], dtype=record),
        "records": numpy.rec.array([(1, 2.0)], dtype=record),
        "masked": numpy.ma.masked_array([1, 2, 3], mask=[0, 1, 0]),
        "narrow": [numpy.arange(4, dtype=numpy.float16), numpy.array([True, False])],
        "wide": [numpy.arange(3, dtype=numpy.complex128), numpy.arange(3, dtype=numpy.longdouble)],
        "days": numpy.array(["2026-01-01"], dtype="datetime64[D]"),
    }


def randomness():
    streams = [
        numpy.random.Philox,
        numpy.random.SFC64,
        numpy.random.PCG64DXSM,
        numpy.random.MT19937,
    ]
    return {
        "torch": torch.get_rng_state(),
        "generator": torch.Generator().manual_seed(5).get_state(),
        "python": random.getstate(),
        "numpy": numpy.random.get_state(),
        "numpy dict": numpy.random.get_state(legacy=False),
        "bit generators": [stream(1).state for stream in streams],
        "objects": [numpy.random.default_rng(3), numpy.random.RandomState(2), random.Random(4)],
        "seeds": numpy.random.SeedSequence(5),
    }


KINDS = [dtypes, views, quantised, sparse, python, arrays, randomness]
