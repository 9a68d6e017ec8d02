"""Positions of loaders and samplers, as far as their attributes tell."""

from collections.abc import Iterator
from typing import Any

from samestep.discovery.attributes import attributes
from samestep.entry import Entry, is_number
from samestep.names import class_name

# Of the loader's construction: the same in every process, and part of the execution contract.
_CONSTANT = {
    "batch_size", "num_workers", "prefetch_factor", "pin_memory", "timeout", "drop_last",
    "persistent_workers", "snapshot_every_n_steps", "in_order", "skip_batches",
    "num_replicas", "rank", "shuffle", "seed", "num_samples", "total_size", "replacement",
}  # fmt: skip
_ITERATOR = ("_num_yielded", "_sampler_iter_yielded", "_finished")


def loader_entries(component: str, loader: Any) -> Iterator[Entry]:
    own = attributes(loader)
    yield from _numbers((component,), own, class_name(type(loader)), _is_loader_number)
    iterator = own.get("_iterator")
    if iterator is not None and _is_stateful(loader):
        inner = attributes(iterator)
        chosen = {name: inner[name] for name in _ITERATOR if name in inner}
        yield from _numbers((component,), chosen, class_name(type(iterator)), lambda name: True)


def sampler_entries(component: str, name: str, sampler: Any) -> Iterator[Entry]:
    own = attributes(sampler)
    yield from _numbers(
        (component, name), own, class_name(type(sampler)), lambda key: key not in _CONSTANT
    )


def _numbers(
    path: tuple[str, ...], own: dict[str, Any], owner: str, wanted: Any
) -> Iterator[Entry]:
    for name, value in own.items():
        if is_number(value) and wanted(name):
            traits = {"declared": "loader", "owner": owner}
            yield Entry((*path, name), "cursor", value, traits)


def _is_loader_number(name: str) -> bool:
    return name not in _CONSTANT and not name.startswith("_")


def _is_stateful(loader: Any) -> bool:
    return any(kind.__name__ == "StatefulDataLoader" for kind in type(loader).__mro__)
