"""Fields of a module: parameters, buffers of both kinds, training flags, plain attributes."""

import functools
from collections.abc import Iterator
from typing import Any

import torch

from samestep.discovery.attributes import attributes, is_a
from samestep.discovery.leaves import leaves_below
from samestep.discovery.modules import MODULE_OWN, Trees, is_stock, made_by
from samestep.discovery.origin import is_user_class
from samestep.discovery.words import word_in
from samestep.entry import Entry, Group, LeftOut, is_number, singly
from samestep.names import class_name
from samestep.tensors import bytes_of, is_array, kept_part

TENSOR_BYTES_MAX = 16 << 20
TOO_LARGE = LeftOut(f"more than {TENSOR_BYTES_MAX >> 20} MiB, and nothing declares it to be state")


def model_entries(component: str, root: Any, declared: str | None = None) -> Iterator[Entry]:
    """`declared` replaces what the fields would say of themselves (copies that nobody declares)."""
    for entry in singly(model_fields(component, Trees().modules(root))):
        if declared is not None:
            entry.traits["declared"] = declared
        yield entry


def model_fields(component: str, tree: list[tuple[str, Any]]) -> Iterator[Entry | Group]:
    """`tree`: all the modules below a root, by name."""
    for prefix, module in tree:
        dot = f"{prefix}." if prefix else ""
        kind: Any = type(module)
        owner = _class_name(kind)
        for each in module_fields(component, dot, module):
            each.traits["owner"] = owner
            yield each


_class_name = functools.cache(class_name)


def module_entries(component: str, dot: str, module: Any) -> Iterator[Entry]:
    """Of one module without its submodules; names begin with `dot` ("layers.0.")."""
    return singly(module_fields(component, dot, module))


def module_fields(component: str, dot: str, module: Any) -> list[Entry | Group]:
    own = vars(module)
    path = (component, dot)
    found: list[Entry | Group] = []
    if parameters := _there(own.get("_parameters")):
        kept = {name: kept_part(p) for name, p in parameters.items()}
        found.append(Group(path, "parameter", kept, {"declared": "parameter"}, True))
        frozen = [name for name, p in parameters.items() if not p.requires_grad]
        if frozen and component.startswith("model"):
            flags = {f"{name}.requires_grad": False for name in frozen}
            found.append(Group(path, "other", flags, {"declared": "attribute"}, True))
    if buffers := _there(own.get("_buffers")):
        transient = own.get("_non_persistent_buffers_set", set())
        for declared, wanted in (("buffer", False), ("buffer_nonpersistent", True)):
            some = {name: b for name, b in buffers.items() if (name in transient) is wanted}
            found.append(Group(path, "buffer", some, {"declared": declared}, True))
    numbers = {"training": bool(own.get("training"))}
    found.append(Group(path, "other", numbers, {"declared": "attribute"}, True))
    if others := [(name, thing) for name, thing in own.items() if name not in MODULE_OWN]:
        kind: Any = type(module)
        stock = made_by(kind) if is_stock(module) else ()
        derived = _derived(own.get("_forward_pre_hooks") or {})
        for name, thing in others:
            if name in derived or (name in stock and _is_constant(thing)):
                continue
            if is_number(thing):
                numbers[name] = thing
            elif (word := word_in(thing)) is not None:
                if is_user_class(kind):
                    traits = {"declared": "attribute", "text": "word"}
                    found.append(Entry((component, dot + name), "other", str(word), traits))
            else:
                found += _plain((component, dot + name), thing)
    return found


def _there(registered: Any) -> dict[str, Any] | None:
    return registered and {name: t for name, t in registered.items() if t is not None}


def _derived(hooks: dict[int, Any]) -> set[Any]:
    """Attributes that hooks of torch.nn.utils make of parameters before each forward (spectral and
    weight norm, pruning): what they are made of is the state."""
    names: set[Any] = set()
    for hook in hooks.values():
        if type(hook).__module__.startswith("torch.nn.utils."):
            own = attributes(hook)
            names.update({own.get("name"), own.get("_tensor_name")})
    return names


def _is_constant(thing: Any) -> bool:
    """Sizes and strides that PyTorch's own modules keep of their construction."""
    whole = type(thing) is int or (type(thing) is tuple and all(type(n) is int for n in thing))
    return whole or type(thing) is list


def _plain(path: tuple[str, ...], thing: Any) -> Iterator[Entry]:
    """Numbers, runs of numbers and tensors in an attribute, or in what it nests."""
    for place, value in leaves_below(thing):
        if is_a(value, torch.nn.Parameter):
            continue
        memory = is_a(value, torch.Tensor) or is_array(value)
        if memory and bytes_of(value) > TENSOR_BYTES_MAX:
            value = TOO_LARGE
        name = ".".join((path[-1], *place))
        role = "buffer" if memory else "other"
        yield Entry((*path[:-1], name), role, value, {"declared": "attribute"})
