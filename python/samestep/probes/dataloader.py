"""Positions of loaders and samplers, as far as their attributes tell."""

from collections.abc import Iterator
from typing import Any

from samestep.discovery.attributes import attributes
from samestep.discovery.leaves import leaves_below
from samestep.discovery.origin import is_user_class
from samestep.entry import Entry, is_number
from samestep.names import class_name
from samestep.probes.model import TENSOR_BYTES_MAX, TOO_LARGE

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
    owner = class_name(type(sampler))
    if not is_user_class(type(sampler)):
        yield from _numbers((component, name), own, owner, lambda key: key not in _CONSTANT)
        return
    for key, thing in own.items():
        for place, value in leaves_below(thing):
            traits = {"declared": "loader", "owner": owner}
            value = TOO_LARGE if getattr(value, "nbytes", 0) > TENSOR_BYTES_MAX else value
            yield Entry((component, name, key, *place), "cursor", value, traits)


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
