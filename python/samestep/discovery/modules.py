"""Which modules are roots, which are trained, and what their parameters are called."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from samestep.names import inner_name, unwrap

# Bookkeeping of torch.nn.Module that probes read by themselves, or that is no state.
# What every module has, and what PyTorch's own wrappers note on those that they wrap: an address,
# and whom they belong to.
MODULE_OWN = frozenset(vars(torch.nn.Module())) | {
    "_flat_weights",
    "_flat_weight_refs",
    "_fsdp_use_orig_params",
    "_is_fsdp_managed_module",
    "_is_torch_compile",
    "_super_module_initialized",
    "_torchdynamo_wrapper_id",
}

_DEPTH_MAX = 500


def walk_modules(root: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Names and modules below a root, in order of registration, wrappers folded."""
    left = [(prefix, root, 0)]
    while left:
        prefix, module, depth = left.pop()
        if depth > _DEPTH_MAX:
            raise RecursionError("a module holds itself")
        yield prefix, module
        inner = inner_name(module)
        children = []
        for name, child in vars(module).get("_modules", {}).items():
            if child is not None:
                below = f"{prefix}.{name}" if prefix else name
                children.append((prefix if name == inner else below, child, depth + 1))
        left += reversed(children)


def walk_parameters(root: Any) -> Iterator[tuple[str, Any]]:
    """Full names and parameters, tied ones under each of their names."""
    return _parameters_in(walk_modules(root))


def _parameters_in(modules: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for prefix, module in modules:
        for name, parameter in list(vars(module).get("_parameters", {}).items()):
            if parameter is not None:
                yield (f"{prefix}.{name}" if prefix else name), parameter


class Trees:
    """Modules as they are during one search and record: each tree is walked once."""

    def __init__(self) -> None:
        self._modules: dict[int, tuple[Any, list[tuple[str, Any]]]] = {}
        self._parameters: dict[int, list[tuple[str, Any]]] = {}

    def modules(self, root: Any) -> list[tuple[str, Any]]:
        """As walk_modules."""
        known = self._modules.get(id(root))
        if known is None:
            known = self._modules[id(root)] = (root, list(walk_modules(root)))
        return known[1]

    def parameters(self, root: Any) -> list[tuple[str, Any]]:
        """As walk_parameters."""
        known = self._parameters.get(id(root))
        if known is None:
            known = self._parameters[id(root)] = list(_parameters_in(self.modules(root)))
        return known


def parameters_of(optimizers: list[Any]) -> list[Any]:
    return [p for o in optimizers for group in o.param_groups for p in group["params"]]


def roots_of(modules: list[Any], called: Any) -> list[Any]:
    """Modules that no other module holds, unwrapped, each once, in the order given.

    `called` counts only when it was not found otherwise.
    """
    below = {id(child) for module in modules for child in _children(module)}
    if called is not None and id(called) not in below and called not in modules:
        modules = [*modules, called]
    wrapped = {id(unwrap(module)) for module in modules if inner_name(module) is not None}
    roots = [unwrap(m) for m in modules if id(m) not in below or id(m) in wrapped]
    held = {id(c) for m in modules if inner_name(m) is None for c in _children(m)}
    held |= {id(c) for m in modules if id(m) in held for c in _chain(m)}
    unique = {id(root): root for root in roots if id(root) not in held}
    return list(unique.values())


def _chain(wrapper: Any) -> Iterator[Any]:
    """What it wraps, and what that wraps."""
    while (name := inner_name(wrapper)) is not None:
        wrapper = vars(wrapper)["_modules"][name]
        yield wrapper


def _children(module: Any) -> list[Any]:
    return [child for child in vars(module).get("_modules", {}).values() if child is not None]


def has_state(module: Any) -> bool:
    """A stock loss function has none; parameters, buffers or a class of the trainer's own may."""
    for _, part in walk_modules(module):
        own = vars(part)
        if own.get("_parameters") or own.get("_buffers") or not is_stock(part):
            return True
        if added_to(part):
            return True
    return False


def is_stock(module: Any) -> bool:
    return type(module).__module__.startswith("torch.nn.")


@functools.cache
def made_by(kind: Any) -> frozenset[str]:
    """Names that the classes of a module mention: what they may keep themselves."""
    names = set(MODULE_OWN)
    for base in kind.__mro__:
        names.update(
            base.__dict__.get("__annotations__", ()), base.__dict__.get("__constants__", ())
        )
        for method in vars(base).values():
            code = getattr(method, "__code__", None)
            if code is not None:
                names.update(code.co_names)
    return frozenset(names)


def added_to(module: Any) -> set[str]:
    """Attributes of one of PyTorch's own modules that the trainer has put there."""
    own: set[str] = set(vars(module))
    kind: Any = type(module)
    return own - made_by(kind)


def split_trained(
    roots: list[Any],
    optimizers: list[Any],
    watched: list[Any],
    trees: Trees,
    stand_ins: dict[int, int],
) -> tuple[list[Any], list[Any]]:
    """Roots with parameters of an optimizer, in the optimizers' order, and the others.

    `stand_ins`: parameters that count as such, by identity, and the optimizer's index."""
    place: dict[int, int] = dict(stand_ins)
    for index, optimizer in enumerate(optimizers):
        for parameter in parameters_of([optimizer]):
            place.setdefault(id(parameter), index)
    ranked: list[tuple[tuple[int, int, int], Any]] = []
    others = []
    for index, root in enumerate(roots):
        own = {id(p) for _, p in trees.parameters(root)}
        hits = [place[key] for key in own if key in place]
        named = next((i for i, thing in enumerate(watched) if thing is root), None)
        if hits or named is not None:
            first = (-1, named) if named is not None else (min(hits), -len(hits))
            ranked.append(((*first, index), root))
        else:
            others.append(root)
    ranked.sort(key=lambda pair: pair[0])
    return [root for _, root in ranked], others


@dataclass(slots=True)
class Names:
    """Names of parameters by identity: the full one with its component, and that of the slots."""

    full: dict[int, tuple[str, str]] = field(default_factory=dict)
    slots: dict[int, str] = field(default_factory=dict)

    @staticmethod
    def of(modules: dict[str, Any], trained: int, trees: Trees) -> "Names":
        names = Names()
        for component, module in list(modules.items())[:trained]:
            for name, parameter in trees.parameters(module):
                names.full.setdefault(id(parameter), (component, name))
        return names

    def name_slots(self, optimizers: list[Any]) -> None:
        """A name that two trained modules share is told apart by its component."""
        for optimizer in optimizers:
            taken: set[str] = set()
            for parameter in parameters_of([optimizer]):
                component, name = self.full.get(id(parameter), ("", ""))
                if name:
                    unique = f"{component}.{name}" if name in taken else name
                    taken.add(name)
                    self.slots.setdefault(id(parameter), unique)
