"""Gradients that are there when a step begins: unfinished ones are state, dead ones are not."""

from collections.abc import Iterator
from typing import Any

from samestep.discovery.modules import walk_parameters
from samestep.entry import Entry


def gradient_entries(modules: dict[str, Any]) -> Iterator[Entry]:
    seen: set[int] = set()
    for component, module in modules.items():
        number = component.partition(".")[2]
        kind = f"gradients.{number}" if number else "gradients"
        for name, parameter in walk_parameters(module):
            gradient = parameter.grad if parameter.is_leaf else None
            if gradient is not None and id(gradient) not in seen:
                seen.add(id(gradient))
                yield Entry((kind, name), "gradient", gradient, {"declared": "gradient"})
