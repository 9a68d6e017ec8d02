"""What load calls left in the live objects: digests taken right after the call, named later.

Field names are only known once a step begins; until then an observation is kept by the identity of
the objects, which it does not keep alive.
"""

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from samestep import registry
from samestep.discovery.frames import Scope
from samestep.discovery.modules import parameters_of, walk_modules
from samestep.discovery.parts import Parts
from samestep.discovery.walk import Walk
from samestep.entry import Entry, LeftOut
from samestep.guard import note
from samestep.names import join
from samestep.probes.grad_scaler import scaler_entries
from samestep.probes.lr_scheduler import scheduler_entries
from samestep.probes.model import module_entries
from samestep.probes.optimizer import optimizer_entries
from samestep.probes.plain import holder_entries
from samestep.probes.rng import generator_entries, global_stream_entries
from samestep.tensors import Released, Unreadable, bytes_of

Key = tuple[str, ...]
_OBSERVATIONS_MAX = 400_000
_BYSTANDER_BYTES_MAX = 1 << 20
# Kinds of observations, and prefixes of names that are identities.
_PARAMETER = "parameter at "
_PLAIN = "plain"
_STREAM = "stream at "


def _identity(parameter: Any) -> str:
    return f"{_PARAMETER}{id(parameter)}"


def _is_small(entry: Entry) -> bool:
    return not entry.is_memory or bytes_of(entry.value) <= _BYSTANDER_BYTES_MAX


@dataclass(slots=True)
class _Seen:
    """`key` is the path below the component; a parameter's name in it may be its identity."""

    thing: "weakref.ref[Any] | None"
    kind: str
    key: Key
    digest: str
    call: str


class Loads:
    """Observations in the order of the calls."""

    def __init__(self) -> None:
        self._seen: list[_Seen] = []

    def module(self, module: Any, call: str) -> None:
        for _, part in walk_modules(module):
            self._keep(part, "model", module_entries("model", "", part), call)

    def optimizer(self, optimizer: Any, call: str) -> None:
        """Nothing of a wrapper: what it wraps is looked at by its own load call."""
        if "param_groups" not in vars(optimizer):
            return
        entries = optimizer_entries("optimizer", optimizer, _identity)
        self._keep(optimizer, "optimizer", entries, call)

    def in_place(self, optimizers: list[Any], call: str) -> None:
        """A call that may have written into live tensors without any load_state_dict."""
        for optimizer in optimizers:
            for parameter in parameters_of([optimizer]):
                self._keep(parameter, "parameter", [Entry((), "parameter", parameter)], call)
            self.optimizer(optimizer, call)

    def scheduler(self, scheduler: Any, call: str) -> None:
        entries = scheduler_entries(("lr_scheduler",), scheduler)
        self._keep(scheduler, "lr_scheduler", entries, call)

    def scaler(self, scaler: Any, call: str) -> None:
        self._keep(scaler, "grad_scaler", scaler_entries("grad_scaler", scaler), call)

    def bystanders(self, loaded: Any, call: str) -> None:
        """What a call on `loaded` did not touch: an object that is never loaded shows so. Large
        tensors of theirs are left out."""
        call = f"beside {call}"
        for optimizer in registry.optimizers.alive():
            if optimizer is not loaded and "param_groups" in vars(optimizer):
                entries = optimizer_entries("optimizer", optimizer, _identity)
                self._keep(optimizer, "optimizer", filter(_is_small, entries), call)
        for scheduler in registry.schedulers.alive():
            if scheduler is not loaded:
                self.scheduler(scheduler, call)
        for scaler in registry.scalers.alive():
            if scaler is not loaded:
                self.scaler(scaler, call)
        for average in registry.averages.alive():
            if average is not loaded:
                for _, part in walk_modules(average):
                    entries = filter(_is_small, module_entries("model", "", part))
                    self._keep(part, "model", entries, call)

    def plain(self, thing: Any, call: str) -> None:
        """An object of the trainer: numbers, small tensors and private streams in it."""
        found = Walk().run([Scope("loaded", {"loaded": thing}, True)])
        for holder in found.holders:
            entries = holder_entries((_PLAIN,), holder, "other", "")
            self._keep(holder.thing, _PLAIN, entries, call)
        for _, generator in found.generators:
            name = f"{_STREAM}{id(generator)}"
            self._keep(thing, _STREAM, generator_entries((_STREAM, name), generator), call)

    def streams(self, call: str) -> None:
        """All process-wide random streams."""
        self._keep(None, "rng", global_stream_entries(), call)

    def _keep(self, thing: Any, kind: str, entries: Any, call: str) -> None:
        link = weakref.ref(thing) if thing is not None else None
        for entry in entries:
            if isinstance(entry.value, LeftOut) or entry.path[-1:] == ("training",):
                continue
            if len(self._seen) < _OBSERVATIONS_MAX:
                try:
                    digest = entry.digest()
                except Released:
                    continue
                except Unreadable as error:
                    note(f"after {call}", error)
                    continue
                self._seen.append(_Seen(link, kind, entry.path[1:], digest, call))

    def resolve(self, parts: Parts) -> Iterator[tuple[str, str, str]]:
        """Path, digest and call of all observations so far of objects that are parts now."""
        seen, self._seen = self._seen, []
        naming = _Naming(parts)
        for observation in seen:
            path = naming.path(observation)
            if path is not None:
                yield path, observation.digest, observation.call


class _Naming:
    def __init__(self, parts: Parts) -> None:
        self._modules: dict[int, tuple[str, str]] = {}
        averages = {name: a.module for name, a in parts.averages.items() if a.module is not None}
        for component, root in [*parts.modules.items(), *averages.items()]:
            for prefix, part in walk_modules(root):
                name = prefix if component in parts.modules else prefix.removeprefix("module")
                self._modules.setdefault(id(part), (component, name.removeprefix(".")))
        self._parameters: dict[str, str] = {}
        for optimizer in parts.optimizers.values():
            for index, parameter in enumerate(parameters_of([optimizer])):
                name = parts.names.slots.get(id(parameter), str(index))
                self._parameters[_identity(parameter)] = name
        self._full = parts.names.full
        self._plain = {
            id(holder.thing): parts.path_of(component, holder)
            for component, holder in parts.holders
        }
        for component, average in parts.averages.items():
            if average.holder is not None:
                self._plain[id(average.holder.thing)] = (component,)
        self._streams = {
            f"{_STREAM}{id(generator)}": "generator." + ".".join(path)
            for path, generator in parts.generators
        }
        self._components: dict[int, str] = {}
        for group in (parts.optimizers, parts.schedulers, parts.scalers):
            self._components.update((id(thing), name) for name, thing in group.items())

    def path(self, seen: _Seen) -> str | None:
        if seen.thing is None:
            return join((seen.kind, *seen.key))
        thing = seen.thing()
        if thing is None:
            return None
        if seen.kind == "parameter":
            return join(self._full[id(thing)]) if id(thing) in self._full else None
        if seen.kind == _PLAIN:
            base = self._plain.get(id(thing))
            return join((*base, *seen.key)) if base is not None else None
        if seen.kind == _STREAM:
            name = self._streams.get(seen.key[0])
            return join(("rng", name, *seen.key[1:])) if name is not None else None
        if seen.kind == "model":
            return self._module_path(thing, seen.key)
        component = self._components.get(id(thing))
        if component is None:
            return None
        return join((component, *(self._parameters.get(part, part) for part in seen.key)))

    def _module_path(self, module: Any, key: Key) -> str | None:
        place = self._modules.get(id(module))
        if place is None:
            return None
        component, prefix = place
        return join((component, f"{prefix}.{key[0]}" if prefix else key[0], *key[1:]))
