"""All fields of the parts of a training, in the order of components."""

from collections.abc import Iterator

from samestep.discovery.parts import Parts
from samestep.entry import Entry, Group
from samestep.probes.dataloader import loader_entries, sampler_entries
from samestep.probes.ema import average_entries
from samestep.probes.grad_scaler import scaler_entries
from samestep.probes.gradients import gradient_entries
from samestep.probes.lr_scheduler import scheduler_entries
from samestep.probes.model import model_entries, model_fields
from samestep.probes.optimizer import detached_entries, optimizer_fields
from samestep.probes.plain import plain_entries, scope_entries
from samestep.probes.rng import generator_entries, global_stream_entries
from samestep.probes.watched import watched_entries


def fields_of(parts: Parts) -> Iterator[Entry | Group]:
    yield from _trained(parts)
    for component, average in parts.averages.items():
        yield from average_entries(component, average)
    for path, module in parts.copies:
        for entry in model_entries("extra", module, declared="attribute"):
            entry.path = ("extra", ".".join(path), *entry.path[1:])
            yield entry
    yield from global_stream_entries()
    for path, generator in parts.generators:
        yield from generator_entries(("rng", "generator." + ".".join(path)), generator)
    yield from undeclared_of(parts)


def undeclared_of(parts: Parts) -> Iterator[Entry]:
    """What moves when a batch is fetched, among others: loaders, samplers, the trainer's own
    objects, the variables of its loop."""
    for component, loader in parts.loaders.items():
        yield from loader_entries(component, loader)
    for path, sampler in parts.samplers:
        yield from sampler_entries("dataloader", path[-1], sampler)
    yield from _plain(parts)
    yield from scope_entries(parts.scopes, _names(parts))


def _names(parts: Parts) -> set[str]:
    return {name for _, name in parts.names.full.values()}


def _plain(parts: Parts) -> Iterator[Entry]:
    """What is declared, and what the trainer's objects keep beside it."""
    told = set()
    for path, thing in parts.declared:
        for entry in watched_entries(path, thing):
            told.add(entry.path)
            yield entry
    names = _names(parts)
    for component, holder in parts.holders:
        for entry in plain_entries(parts.path_of(component, holder), component, holder, names):
            if entry.path not in told:
                yield entry


def _trained(parts: Parts) -> Iterator[Entry | Group]:
    for component, module in parts.modules.items():
        yield from model_fields(component, parts.trees.modules(module))
    for name, tensor in parts.loose.items():
        yield Entry(("extra", name), "parameter", tensor, {"declared": "parameter"})
    slots = parts.names.slots
    for component, optimizer in parts.optimizers.items():
        yield from optimizer_fields(component, optimizer, lambda p: slots.get(id(p)))
    yield from detached_entries(parts.detached.groups)
    for component, scheduler in parts.schedulers.items():
        yield from scheduler_entries((component,), scheduler)
    for component, scaler in parts.scalers.items():
        yield from scaler_entries(component, scaler)
    yield from gradient_entries(parts.modules, parts.optimizers, parts.trees)
