"""Fields of a learning rate schedule: what its state dict would hold, read from its attributes."""

from collections.abc import Iterator
from typing import Any

from torch.optim import Optimizer

from samestep.discovery.attributes import is_a
from samestep.discovery.kinds import is_scheduler
from samestep.entry import Entry, flatten
from samestep.names import class_name


def scheduler_entries(path: tuple[str, ...], scheduler: Any) -> Iterator[Entry]:
    kind = type(scheduler)
    stock = kind.state_dict.__module__.startswith("torch.optim.")
    traits = {"declared": "state_dict" if stock else "attribute", "owner": class_name(kind)}
    for name, thing in list(vars(scheduler).items()):
        if is_a(thing, Optimizer):
            continue
        if name == "_schedulers":
            for index, inner in enumerate(thing):
                yield from scheduler_entries((*path, name, str(index)), inner)
        elif name == "lr_lambdas":
            yield from _functions((*path, name), thing, traits)
        elif not is_scheduler(thing):
            yield from flatten((*path, name), thing, "schedule", traits)


def _functions(path: tuple[str, ...], functions: Any, traits: dict[str, str]) -> Iterator[Entry]:
    """Callable objects have state; of plain functions the state dict says None."""
    for index, function in enumerate(functions):
        if is_a(function, type(lambda: None)):
            yield Entry((*path, str(index)), "schedule", None, traits)
        elif hasattr(function, "__dict__"):
            yield from flatten((*path, str(index)), dict(vars(function)), "schedule", traits)
