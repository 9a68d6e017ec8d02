"""Gradients that are there when a step begins: unfinished ones are state, dead ones are not."""

from collections.abc import Iterator
from typing import Any

from samestep.discovery.modules import Trees
from samestep.entry import Entry


def gradient_entries(
    modules: dict[str, Any],
    optimizers: dict[str, Any] | None = None,
    trees: Trees | None = None,
) -> Iterator[Entry]:
    """Those of parameters that are frozen and that none of `optimizers` holds have the owner
    "none": nothing adds to them or steps with them."""
    trees = trees or Trees()
    seen: set[int] = set()
    held = {
        id(parameter)
        for optimizer in (optimizers or {}).values()
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    for component, module in modules.items():
        number = component.partition(".")[2]
        kind = f"gradients.{number}" if number else "gradients"
        for name, parameter in trees.parameters(module):
            gradient = parameter.grad if parameter.is_leaf else None
            if gradient is not None and id(gradient) not in seen:
                seen.add(id(gradient))
                traits = {"declared": "gradient"}
                if held and not parameter.requires_grad and id(parameter) not in held:
                    traits["owner"] = "none"
                yield Entry((kind, name), "gradient", gradient, traits)
