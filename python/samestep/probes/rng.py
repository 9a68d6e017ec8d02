"""Random streams: the process-wide ones, and private generators by where they are kept."""

import random
import sys
from collections.abc import Iterator
from typing import Any

import torch

from samestep.discovery.attributes import is_a
from samestep.entry import Entry, flatten

_TRAITS = {"declared": "rng"}


def global_stream_entries() -> Iterator[Entry]:
    """torch's CPU stream, CUDA's where it is in use, Python's, and NumPy's where it is loaded."""
    yield Entry(("rng", "torch.cpu"), "rng", torch.default_generator.get_state(), dict(_TRAITS))
    if torch.cuda.is_initialized():
        for index in range(torch.cuda.device_count()):
            state = torch.cuda.default_generators[index].get_state()
            yield Entry(("rng", f"torch.cuda.{index}"), "rng", state, dict(_TRAITS))
    yield from _python(("rng", "python"), random.getstate(), dict(_TRAITS))
    if "numpy.random" in sys.modules:
        yield from _numpy_legacy(("rng", "numpy"), sys.modules["numpy.random"].mtrand._rand)


def generator_entries(path: tuple[str, ...], generator: Any) -> Iterator[Entry]:
    """A private stream; the path is `rng`, `generator.<access path>`."""
    traits = {**_TRAITS, "owner": f"{type(generator).__module__}.{type(generator).__name__}"}
    if is_a(generator, torch._C.Generator):
        yield Entry(path, "rng", generator.get_state(), traits)
    elif is_a(generator, random.Random):
        if not is_a(generator, random.SystemRandom):
            yield from _python(path, random.Random.getstate(generator), traits)
    elif type(generator).__name__ == "RandomState":
        yield from _numpy_legacy(path, generator, traits)
    else:
        bits = getattr(generator, "bit_generator", generator)
        yield from flatten(path, bits.state, "rng", traits)


def _python(
    path: tuple[str, ...], state: tuple[Any, ...], traits: dict[str, str]
) -> Iterator[Entry]:
    version, numbers, gauss_next = state
    yield Entry(path, "rng", list(numbers), traits)
    yield Entry((*path, "version"), "rng", version, traits)
    yield Entry((*path, "gauss_next"), "rng", gauss_next, traits)


def _numpy_legacy(
    path: tuple[str, ...], stream: Any, traits: dict[str, str] | None = None
) -> Iterator[Entry]:
    traits = traits if traits is not None else dict(_TRAITS)
    state = stream.get_state(legacy=False)
    inner = state["state"]
    yield Entry((*path, "bit_generator"), "rng", state["bit_generator"], traits)
    if "key" in inner:
        yield Entry(path, "rng", inner["key"], traits)
        yield Entry((*path, "pos"), "rng", int(inner["pos"]), traits)
    else:
        yield from flatten(path, inner, "rng", traits)
    yield Entry((*path, "has_gauss"), "rng", int(state.get("has_gauss", 0)), traits)
    yield Entry((*path, "cached_gaussian"), "rng", float(state.get("gauss", 0.0)), traits)
