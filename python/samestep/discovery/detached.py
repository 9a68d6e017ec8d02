"""Tensors that an optimizer steps and that nothing else holds: the model has got others since.

So it is after `load_state_dict(assign=True)`, or where a module was made anew, once the optimizer
was there. The module's parameters that stand in their place lend them their names.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from samestep.discovery.found import Found
from samestep.discovery.modules import Trees, parameters_of
from samestep.tensors import shape_of


@dataclass(slots=True)
class Detached:
    """`groups`: by component of the optimizer, the number of such tensors in each group. `names`:
    of those by identity. `stand_ins`: parameters of modules in their place, by identity, and the
    index of the optimizer."""

    groups: dict[str, list[int]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    stand_ins: dict[int, int] = field(default_factory=dict)


def detached_in(
    optimizers: dict[str, Any], roots: list[Any], found: Found, trees: Trees
) -> Detached:
    """Optimizers that only a registry knows are left out: they may be garbage by now."""
    reached = {id(optimizer) for _, optimizer in found.optimizers}
    held = {id(parameter) for root in roots for _, parameter in trees.parameters(root)}
    result = Detached()
    for index, (component, optimizer) in enumerate(optimizers.items()):
        if id(optimizer) not in reached:
            continue
        if all(id(parameter) in held for parameter in parameters_of([optimizer])):
            continue
        held.update(_leaves_of(found))
        lost = [[p for p in g["params"] if id(p) not in held] for g in optimizer.param_groups]
        if any(lost):
            result.groups[component] = [len(group) for group in lost]
            stepped = {id(p) for p in parameters_of(list(optimizers.values()))}
            pairs = _pairs([p for group in lost for p in group], roots, stepped, trees)
            result.names.update((id(tensor), name) for tensor, name, _ in pairs)
            result.stand_ins.update((id(stand_in), index) for _, _, stand_in in pairs)
    return result


def _leaves_of(found: Found) -> Iterable[int]:
    holders = found.scopes + found.holders
    return (id(value) for holder in holders for _, value in holder.leaves)


def _pairs(
    lost: list[Any], roots: list[Any], stepped: set[int], trees: Trees
) -> list[tuple[Any, str, Any]]:
    """Each tensor with the name and the parameter of a module, by order and shape: all or none."""
    for root in roots:
        free = iter([one for one in trees.parameters(root) if id(one[1]) not in stepped])
        pairs = []
        for tensor in lost:
            shape = shape_of(tensor)
            found = next(((name, p) for name, p in free if shape_of(p) == shape), None)
            if found is None:
                break
            pairs.append((tensor, *found))
        if len(pairs) == len(lost):
            return pairs
    return []
