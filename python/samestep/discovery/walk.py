"""Walk: breadth first from the scopes of the training loop to whatever they hold."""

import enum
from collections import deque
from itertools import islice
from types import FunctionType, MethodType
from typing import Any

import torch

from samestep.discovery.attributes import (
    attributes,
    captured,
    class_values,
    is_a,
    is_capturing,
    is_namespace,
)
from samestep.discovery.containers import (
    CHILDREN_MAX,
    ROWS_MAX,
    is_container,
    is_too_long,
    items,
    size,
)
from samestep.discovery.found import Found, Holder, Path
from samestep.discovery.frames import Scope
from samestep.discovery.kinds import (
    component_kind,
    is_generator,
    is_global_generator,
    is_loader,
    may_average,
)
from samestep.discovery.leaves import DEPTH_MAX, Fold, leaf_of, leaves_below
from samestep.discovery.modules import MODULE_OWN
from samestep.discovery.origin import is_opaque_module, is_user_class, is_user_module
from samestep.discovery.words import word_in
from samestep.entry import is_number

OBJECTS_MAX = 50_000
_CONSTANT_DEPTH = 3

# Where nobody keeps the leaves, there is nothing behind these.
_ENDS = {bool, int, float, str, bytes, type(None), torch.Tensor, torch.nn.Parameter}

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")

_KIND_LISTS = {
    "model": "modules",
    "optimizer": "optimizers",
    "lr_scheduler": "schedulers",
    "grad_scaler": "scalers",
}


class Walk:
    """One search. Objects are held only while it lasts."""

    def __init__(self) -> None:
        self.found = Found()
        self._seen: dict[int, Any] = {}
        self._queue: deque[tuple[Path, Any, Holder | None, Path]] = deque()

    def run(self, scopes: list[Scope]) -> Found:
        for scope in scopes:
            holder = None
            if scope.of_user:
                holder = Holder((scope.name,), None)
                self.found.scopes.append(holder)
            for name, thing in scope.variables.items():
                constant = scope.is_module and _is_constant(name, thing)
                if name != "_" and not name.startswith("__") and not constant:
                    word = type(thing).__name__ if name == "self" else name
                    self._queue.append(((word,), thing, holder, (word,)))
        while self._queue:
            self._visit(*self._queue.popleft())
        found, self._seen = self.found, {}
        return found

    def _visit(self, path: Path, thing: Any, holder: Holder | None, place: Path) -> None:
        if is_a(thing, (str, enum.Enum)):
            self._take_word(thing, holder, place)
            return
        if is_a(thing, type):
            self._enter_class(thing)
        if thing is None or is_a(thing, (bytes, type)):
            return
        kind = component_kind(thing)
        if kind is None and self._take_leaf(thing, holder, place):
            return
        if id(thing) in self._seen:
            return
        if len(self._seen) >= OBJECTS_MAX:
            self.found.cut = True
            return
        self._seen[id(thing)] = thing
        if kind is not None:
            self._take_component(kind, path, thing)
        elif is_generator(thing):
            if not is_global_generator(thing):
                self.found.generators.append((path, thing))
        elif is_container(thing) and (is_too_long(thing) or len(path) >= DEPTH_MAX):
            self._fold(path, thing, holder, place)
        elif len(path) < DEPTH_MAX:
            self._descend(path, thing, holder, place)

    def _take_leaf(self, thing: Any, holder: Holder | None, place: Path) -> bool:
        """Numbers, arrays and tensors end a branch; a holder, where there is one, takes them."""
        value = leaf_of(thing)
        if value is None:
            return False
        if holder is not None:
            holder.leaves.append((place, value))
        return True

    def _take_word(self, thing: Any, holder: Holder | None, place: Path) -> None:
        """Texts of the loop's variables name files and devices."""
        if holder is None or (is_a(thing, str) and (holder.thing is None or len(place) > 1)):
            return
        word = word_in(thing)
        if word is not None:
            holder.leaves.append((place, word))

    def _enter_class(self, kind: Any) -> None:
        """What a class of the trainer's holds itself, as evidence: `loop/Class/name`."""
        if id(kind) in self._seen or not is_user_class(kind) or issubclass(kind, enum.Enum):
            return
        self._seen[id(kind)] = kind
        holder = Holder((kind.__name__,), None)
        for name, thing in class_values(kind).items():
            leaves = [] if is_a(thing, torch.nn.Parameter) else leaves_below(thing)
            holder.leaves += [((kind.__name__, name, *below), leaf) for below, leaf in leaves]
        if holder.leaves:
            self.found.scopes.append(holder)

    def _fold(self, path: Path, thing: Any, holder: Holder | None, place: Path) -> None:
        """One field for all that is in it, unless some of that is more than plain state."""
        may_enter = size(thing) <= CHILDREN_MAX and len(path) < DEPTH_MAX
        if holder is None and not may_enter:
            return
        fold = Fold(thing)
        if may_enter and not fold.is_plain:
            self._descend(path, thing, holder, place)
        elif holder is not None and fold.value is not None:
            holder.leaves.append((place, fold.value))

    def _take_component(self, kind: str, path: Path, thing: Any) -> None:
        if kind == "dataloader":
            target = self.found.loaders if is_loader(thing) else self.found.samplers
            target.append((path, thing))
        else:
            getattr(self.found, _KIND_LISTS[kind]).append((path, thing))
        if len(path) >= DEPTH_MAX:
            return
        if kind == "model":
            self._enter_module(path, thing)
        else:
            self._enter(path, attributes(thing), None, ())

    def _enter_module(self, path: Path, module: Any) -> None:
        own = vars(module)
        self._enter_class(type(module))
        hooks = [hook for name in _HOOKS if own.get(name) for hook in own[name].values()]
        if hooks:
            named = {f"hooks.{i}": hook for i, hook in enumerate(hooks) if _is_of_user(hook)}
            self._enter(path, named, None, ())
        objects = {key: value for key, value in own.items() if key not in MODULE_OWN}
        self._enter(path, objects, None, ())
        self._enter(path, own.get("_modules", {}), None, ())

    def _enter(self, path: Path, children: Any, holder: Holder | None, place: Path) -> None:
        for name, child in list(children.items()):
            if holder is None and type(child) in _ENDS:
                continue
            self._queue.append(((*path, name), child, holder, (*place, name)))

    def _descend(self, path: Path, thing: Any, holder: Holder | None, place: Path) -> None:
        kind = type(thing)
        if is_container(thing):
            self._enter(path, dict(items(thing)), holder, place)
        elif is_namespace(thing):
            self._enter(path, vars(thing), holder, place)
        elif is_capturing(thing):
            if kind is not FunctionType or is_user_module(str(thing.__module__)):
                self._enter(path, dict(captured(thing)), holder, place)
        elif is_user_class(kind) or may_average(kind):
            inner = Holder(path, thing, [], holder)
            self.found.holders.append(inner)
            self._enter_class(kind)
            self._enter(path, attributes(thing), inner, ())
        elif not is_opaque_module(kind.__module__):
            self._enter(path, attributes(thing), None, ())


def _is_of_user(hook: Any) -> bool:
    thing = hook.__self__ if is_a(hook, MethodType) else hook
    if is_a(thing, FunctionType):
        return is_user_module(str(thing.__module__))
    return is_user_class(type(thing))


def _is_constant(name: str, thing: Any) -> bool:
    """SEED, BATCH of a module: by their names no state. Objects may be called so (a G and a D), and
    what tensors are kept in (a P)."""
    if not name.isupper():
        return False
    if is_container(thing):
        return not _holds_tensors(thing, _CONSTANT_DEPTH)
    return is_number(thing) or is_a(thing, (str, bytes))


def _holds_tensors(thing: Any, depth: int) -> bool:
    """Among the first items of a container and of those in it: they are of a kind."""
    for _, child in islice(items(thing), ROWS_MAX):
        if is_a(child, torch.Tensor):
            return True
        if depth > 0 and is_container(child) and _holds_tensors(child, depth - 1):
            return True
    return False
