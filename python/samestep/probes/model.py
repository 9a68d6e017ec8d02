"""Fields of a module: parameters, buffers of both kinds, training flags, plain attributes."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import torch

from samestep.discovery.attributes import is_a
from samestep.discovery.modules import MODULE_OWN, added_to, is_stock, walk_modules
from samestep.entry import Entry, is_number, packed
from samestep.names import class_name
from samestep.tensors import is_array, is_array_scalar

TENSOR_BYTES_MAX = 16 << 20


def model_entries(component: str, root: Any, declared: str | None = None) -> Iterator[Entry]:
    """`declared` replaces what the fields would say of themselves (copies that nobody declares)."""
    for prefix, module in walk_modules(root):
        dot = f"{prefix}." if prefix else ""
        owner = class_name(type(module))
        for entry in module_entries(component, dot, module):
            if declared is not None:
                entry.traits["declared"] = declared
            entry.traits["owner"] = owner
            yield entry


def module_entries(component: str, dot: str, module: Any) -> Iterator[Entry]:
    """Of one module without its submodules; names begin with `dot` ("layers.0.")."""
    own = vars(module)
    for name, parameter in list(own.get("_parameters", {}).items()):
        if parameter is not None:
            traits = {"declared": "parameter"}
            yield Entry((component, dot + name), "parameter", parameter, traits)
            if not parameter.requires_grad and component.startswith("model"):
                frozen = (component, f"{dot}{name}.requires_grad")
                yield Entry(frozen, "other", False, {"declared": "attribute"})
    transient = own.get("_non_persistent_buffers_set", set())
    for name, buffer in list(own.get("_buffers", {}).items()):
        if buffer is not None:
            traits = {"declared": "buffer_nonpersistent" if name in transient else "buffer"}
            yield Entry((component, dot + name), "buffer", buffer, traits)
    traits = {"declared": "attribute"}
    yield Entry((component, f"{dot}training"), "other", bool(own.get("training")), traits)
    constants = own.keys() - added_to(module) if is_stock(module) else ()
    for name, thing in list(own.items()):
        if name not in MODULE_OWN and not (name in constants and _is_constant(thing)):
            yield from _plain((component, dot + name), thing)


def _row(path: tuple[str, ...], things: list[Any]) -> Iterator[Entry]:
    """A short row of numbers or of tensors: a window, a memory, a hidden state."""
    traits = {"declared": "attribute"}
    if packed(things) is not None:
        yield Entry(path, "other", packed(things), traits)
        return
    for index, thing in enumerate(things):
        kept = is_a(thing, torch.Tensor) and not is_a(thing, torch.nn.Parameter)
        if kept and thing.nbytes <= TENSOR_BYTES_MAX:
            yield Entry((*path[:-1], f"{path[-1]}.{index}"), "buffer", thing, dict(traits))


def _is_constant(thing: Any) -> bool:
    """Sizes and strides that PyTorch's own modules keep of their construction."""
    whole = type(thing) is int or (type(thing) is tuple and all(type(n) is int for n in thing))
    return whole or type(thing) is list


def _plain(path: tuple[str, ...], thing: Any) -> Iterator[Entry]:
    """Numbers, short runs of numbers, tensors and small dicts of numbers in an attribute."""
    traits = {"declared": "attribute"}
    if is_number(thing):
        yield Entry(path, "other", thing, traits)
    elif is_array_scalar(thing):
        yield Entry(path, "other", thing.item(), traits)
    elif is_a(thing, torch.Tensor) or is_array(thing):
        if not is_a(thing, torch.nn.Parameter) and thing.nbytes <= TENSOR_BYTES_MAX:
            yield Entry(path, "buffer", thing, traits)
    elif is_a(thing, (list, tuple, deque)) and len(thing) <= 64:
        yield from _row(path, list(thing))
    elif is_a(thing, dict) and len(thing) <= 64:
        for key, value in list(dict.items(thing)):
            if is_number(value) and type(key) in (str, int):
                yield Entry((*path[:-1], f"{path[-1]}.{key}"), "other", value, traits)
