"""Found: what a search came upon, by kind, each with its access path."""

from dataclasses import dataclass, field
from typing import Any

Path = tuple[str, ...]


@dataclass(slots=True)
class Holder:
    """A plain object of the trainer, or a scope, with the numbers and tensors found in it.

    Leaves are named relative to the holder. `thing` is None for a scope.
    """

    path: Path
    thing: Any
    leaves: list[tuple[Path, Any]] = field(default_factory=list)
    parent: "Holder | None" = None


@dataclass(slots=True)
class Found:
    """Objects by kind in order of access path length, then of the search."""

    modules: list[tuple[Path, Any]] = field(default_factory=list)
    optimizers: list[tuple[Path, Any]] = field(default_factory=list)
    schedulers: list[tuple[Path, Any]] = field(default_factory=list)
    scalers: list[tuple[Path, Any]] = field(default_factory=list)
    loaders: list[tuple[Path, Any]] = field(default_factory=list)
    samplers: list[tuple[Path, Any]] = field(default_factory=list)
    generators: list[tuple[Path, Any]] = field(default_factory=list)
    holders: list[Holder] = field(default_factory=list)
    scopes: list[Holder] = field(default_factory=list)
    cut: bool = False  # the search ended at its bound
