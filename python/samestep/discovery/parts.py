"""Parts: the components of a training with their names, made of what a search found."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from samestep import registry
from samestep.discovery.attributes import attributes, is_a
from samestep.discovery.averages import Average, sort_untrained
from samestep.discovery.detached import Detached, detached_in
from samestep.discovery.found import Found, Holder, Path
from samestep.discovery.modules import (
    Names,
    Trees,
    has_state,
    parameters_of,
    roots_of,
    split_trained,
)
from samestep.discovery.words import says_loader, says_loss_scaler, says_schedule
from samestep.names import numbered


@dataclass(slots=True)
class Parts:
    """Components by name; `names` are those of the parameters of trained modules.

    `copies`: modules shaped like a trained one, by access path. `loose`: trained tensors that no
    module holds, by name. `holders`: plain objects and the component that each belongs to.
    `declared`: state that the trainer named with samestep.watch, by where its fields go.
    `detached`: what optimizers step and nothing holds. `trees`: what all the modules hold.
    """

    modules: dict[str, Any] = field(default_factory=dict)
    optimizers: dict[str, Any] = field(default_factory=dict)
    schedulers: dict[str, Any] = field(default_factory=dict)
    scalers: dict[str, Any] = field(default_factory=dict)
    averages: dict[str, Average] = field(default_factory=dict)
    loaders: dict[str, Any] = field(default_factory=dict)
    samplers: list[tuple[Path, Any]] = field(default_factory=list)
    generators: list[tuple[Path, Any]] = field(default_factory=list)
    copies: list[tuple[Path, Any]] = field(default_factory=list)
    loose: dict[str, Any] = field(default_factory=dict)
    holders: list[tuple[str, Holder]] = field(default_factory=list)
    scopes: list[Holder] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    declared: list[tuple[Path, Any]] = field(default_factory=list)
    detached: Detached = field(default_factory=Detached)
    cut: bool = False
    trees: Trees = field(default_factory=Trees)

    def all_modules(self) -> Iterator[Any]:
        for root in self.modules.values():
            for _, module in self.trees.modules(root):
                yield module

    def path_of(self, component: str, holder: Holder) -> Path:
        """Where the fields of a plain object go: as declared; schedules and scalers are components
        by themselves, others keep their access path."""
        for path, thing in self.declared:
            if thing is holder.thing:
                return path
        inside = component.partition(".")[0] in ("lr_scheduler", "grad_scaler")
        return (component,) if inside else (component, *holder.path)


def parts_of(found: Found, watched: dict[str, list[Any]], called: Any) -> Parts:
    """`watched`: what the trainer named, by kind. `called`: the module whose forward begins the
    step, the last resort for a model."""
    parts = Parts(generators=found.generators, scopes=found.scopes, cut=found.cut)
    roots = roots_of([module for _, module in found.modules], called)
    parts.optimizers = _optimizers(found, watched, roots, parts.trees)
    known = list(parts.optimizers.values())
    parts.detached = detached_in(parts.optimizers, roots, found, parts.trees)
    stand_ins = parts.detached.stand_ins
    trained, others = split_trained(roots, known, watched.get("model", []), parts.trees, stand_ins)
    untrained = sort_untrained(trained, others, found, watched.get("ema", []))
    modules = trained + [module for module in untrained.others if has_state(module)]
    parts.modules = {numbered("model", i): module for i, module in enumerate(modules)}
    parts.averages = {numbered("ema", i): a for i, a in enumerate(untrained.averages)}
    parts.copies = untrained.copies
    parts.names = Names.of(parts.modules, len(trained), parts.trees)
    _name_loose_parameters(parts, found)
    parts.schedulers = _schedulers(found, watched)
    parts.scalers = _several("grad_scaler", found.scalers, registry.scalers, watched)
    parts.loaders = {
        numbered("dataloader", i): thing for i, (_, thing) in enumerate(_outer_loaders(found))
    }
    parts.samplers = found.samplers
    taken = {id(average.holder) for average in untrained.averages}
    rates = _rates_of(parts.schedulers)
    parts.holders = [
        (_component_of(holder, parts), holder)
        for holder in found.holders
        if id(holder) not in taken and id(holder.thing) not in rates
    ]
    return parts


def _optimizers(
    found: Found, watched: dict[str, list[Any]], roots: list[Any], trees: Trees
) -> dict[str, Any]:
    """In the order of the search: the order of creation may change when a run is resumed."""
    registered = registry.optimizers.alive()
    by_state = {id(vars(o).get("state")): o for _, o in reversed(found.optimizers)}
    by_state.update((id(vars(o).get("state")), o) for o in registered)  # not what wraps them
    reached = {id(vars(o)["state"]): None for _, o in found.optimizers if "state" in vars(o)}
    known = [by_state[key] for key in reached if "param_groups" in vars(by_state[key])]
    covered = {id(parameter) for parameter in parameters_of(known)}
    for optimizer in registered:
        if any(id(parameter) not in covered for parameter in parameters_of([optimizer])):
            known.append(optimizer)
    first = watched.get("optimizer", [])
    others = [o for o in known if all(o is not f for f in first)]
    ordered = first + _by_parameters(others, roots, trees)
    return {numbered("optimizer", i): optimizer for i, optimizer in enumerate(ordered)}


def _by_parameters(optimizers: list[Any], roots: list[Any], trees: Trees) -> list[Any]:
    """Those that share a model in the order of its parameters: which of them the search meets first
    may hang on a variable that some loop has left behind."""
    place: dict[int, tuple[int, int]] = {}
    for index, root in enumerate(roots):
        for position, (_, parameter) in enumerate(trees.parameters(root)):
            place.setdefault(id(parameter), (index, position))
    keys: list[tuple[int, int]] = []
    rank: dict[int, int] = {}
    for number, optimizer in enumerate(optimizers):
        own = [place[id(p)] for p in parameters_of([optimizer]) if id(p) in place]
        root, position = min(own, default=(-1 - number, 0))
        keys.append((rank.setdefault(root, len(rank)), position))
    order = sorted(range(len(optimizers)), key=keys.__getitem__)
    return [optimizers[index] for index in order]


def _schedulers(found: Found, watched: dict[str, list[Any]]) -> dict[str, Any]:
    named = _several("lr_scheduler", found.schedulers, registry.schedulers, watched)
    inner = {
        id(child)
        for scheduler in named.values()
        for child in vars(scheduler).get("_schedulers", ())
    }
    outer = [scheduler for scheduler in named.values() if id(scheduler) not in inner]
    return {numbered("lr_scheduler", i): scheduler for i, scheduler in enumerate(outer)}


def _rates_of(schedulers: dict[str, Any]) -> set[int]:
    """Callable objects that schedules ask for their rates: state of the schedule, as it says."""
    return {
        id(function)
        for scheduler in schedulers.values()
        for function in vars(scheduler).get("lr_lambdas", ())
    }


def _several(
    kind: str,
    found: list[tuple[Path, Any]],
    known: registry.Registry,
    watched: dict[str, list[Any]],
) -> dict[str, Any]:
    things = [thing for _, thing in found] or known.alive()
    first = watched.get(kind, [])
    things = first + [thing for thing in things if all(thing is not other for other in first)]
    return {numbered(kind, i): thing for i, thing in enumerate(things)}


def _outer_loaders(found: Found) -> list[tuple[Path, Any]]:
    """Loaders that no other loader merely wraps."""
    inner = {
        id(child)
        for _, loader in found.loaders
        for child in attributes(loader).values()
        if is_a(child, torch.utils.data.DataLoader)
    }
    return [(path, loader) for path, loader in found.loaders if id(loader) not in inner]


def _component_of(holder: Holder, parts: Parts) -> str:
    """The component whose state a plain object of the trainer most likely is. What holds a model is
    a trainer, whatever its name says."""
    kind = type(holder.thing)
    name = kind.__name__
    held = list(attributes(holder.thing).values())
    optimizers = {id(optimizer) for optimizer in parts.optimizers.values()}
    steps = any(id(thing) in optimizers for thing in held)
    if not any(is_a(thing, torch.nn.Module) for thing in held):
        if steps and says_schedule(name):
            return numbered("lr_scheduler", len(parts.schedulers))
        if says_loss_scaler(name):
            return numbered("grad_scaler", len(parts.scalers))
        if says_loader(name) and not steps:
            return "dataloader"
    stateful = hasattr(kind, "state_dict") and hasattr(kind, "load_state_dict")
    return "extra" if stateful else "loop"


def _name_loose_parameters(parts: Parts, found: Found) -> None:
    """Gives slots their names; trained tensors outside of modules are named by their variable."""
    optimizers = list(parts.optimizers.values())
    unnamed = {id(p) for p in parameters_of(optimizers) if id(p) not in parts.names.full}
    for holder in found.scopes + found.holders:
        for place, value in holder.leaves:
            if id(value) in unnamed:
                unnamed.discard(id(value))
                path = place if holder.thing is None else (*holder.path, *place)
                parts.loose[".".join(path)] = value
                parts.names.full[id(value)] = ("extra", ".".join(path))
    parts.names.name_slots(optimizers)
    for key, name in parts.detached.names.items():
        parts.names.slots.setdefault(key, name)
