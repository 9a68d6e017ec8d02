"""Averages: copies of a trained model's weights that follow it (EMA, SWA, teachers)."""

from dataclasses import dataclass
from typing import Any

import torch
from torch.optim.swa_utils import AveragedModel

from samestep.discovery.attributes import attributes, is_a
from samestep.discovery.found import Found, Holder, Path
from samestep.discovery.kinds import component_kind
from samestep.discovery.modules import walk_parameters
from samestep.discovery.words import says_average, says_trainer, words_of
from samestep.tensors import shape_of

Shapes = dict[str, tuple[int, ...]]

# What a second network is called that follows the first; a list of tensors is no network.
_NETWORKS = {"target", "slow", "momentum", "key", "smoothed"}


@dataclass(slots=True)
class Average:
    """A module, or tensors in a plain object (`holder`), or both: a module inside of the object."""

    module: Any = None
    holder: Holder | None = None


@dataclass(slots=True)
class Sorted:
    """Untrained modules: averages, unnamed copies of a trained model, and the others."""

    averages: list[Average]
    copies: list[tuple[Path, Any]]
    others: list[Any]


def sort_untrained(
    trained: list[Any], others: list[Any], found: Found, watched: list[Any]
) -> Sorted:
    """A copy counts as an average when its name or its holder's class says so."""
    shapes = _Shapes(trained)
    paths = {id(module): path for path, module in reversed(found.modules)}
    sorted_ = Sorted([], [], [])
    for module in others:
        path, holder = paths.get(id(module), ()), _holder_of(module, found.holders)
        asked = _is_in(module, watched)
        named = asked or is_a(module, AveragedModel) or _says_average(path, holder, True)
        if holder is not None and _trains(holder, trained):
            holder = None
        if named and (asked or shapes.are_followed_by(_shapes_of(module))):
            sorted_.averages.append(Average(module, holder))
        elif path and shapes.are_followed_by(_shapes_of(module)):
            sorted_.copies.append((path, module))
        else:
            sorted_.others.append(module)
    held = {id(average.holder) for average in sorted_.averages}
    for holder in found.holders + _named_groups(found.scopes):
        if id(holder) in held:
            continue
        if (holder.thing is not None and _is_in(holder.thing, watched)) or (
            _says_average(holder.path, holder, False) and _shadows(holder, shapes.all())
        ):
            sorted_.averages.append(Average(None, _of_its_own(holder, trained, shapes.all())))
        elif holder.thing is not None and _has_average(holder):
            for name in _shadow_names(holder, shapes.all()):
                if name and says_average(name[-1]):
                    sorted_.averages.append(Average(None, _taken(holder, name)))
    return sorted_


def _trains(holder: Holder, trained: list[Any]) -> bool:
    """A trainer that keeps an average: its numbers are not the average's. What only follows a model
    may hold it, and says in its name what it is."""
    name = type(holder.thing).__name__
    if says_average(name) and not says_trainer(name):
        return False
    return any(
        component_kind(thing) not in (None, "model") or _is_in(thing, trained)
        for thing in attributes(holder.thing).values()
    )


def _of_its_own(holder: Holder, trained: list[Any], shapes: list[Shapes]) -> Holder:
    """Of a trainer the tensors of its average alone, which it then no longer has itself."""
    if holder.thing is None or not _trains(holder, trained):
        return holder
    mine = [leaf for name in _shadow_names(holder, shapes) for leaf in _below(holder, name)]
    holder.leaves = [leaf for leaf in holder.leaves if not any(leaf is one for one in mine)]
    return Holder(holder.path, None, mine, holder)


def _has_average(holder: Holder) -> bool:
    """Tensors in an attribute that is called so."""
    return any(
        len(place) == 2 and says_average(place[0]) and is_a(value, torch.Tensor)
        for place, value in holder.leaves
    )


def _taken(holder: Holder, name: Path) -> Holder:
    """The tensors below `name`, by the names of the parameters, which the holder no longer has."""
    mine = _below(holder, name)
    holder.leaves = [leaf for leaf in holder.leaves if not any(leaf is one for one in mine)]
    below = [(place[len(name) :], value) for place, value in mine]
    return Holder((*holder.path, *name), None, below, holder)


def _below(holder: Holder, name: Path) -> list[tuple[Path, Any]]:
    return [leaf for leaf in holder.leaves if leaf[0][:-1] == name and is_a(leaf[1], torch.Tensor)]


def _is_in(thing: Any, things: list[Any]) -> bool:
    return any(other is thing for other in things)


def _says_average(path: Path, holder: Holder | None, is_module: bool) -> bool:
    names = [*path[-2:]]
    if holder is not None and holder.thing is not None:
        names.append(type(holder.thing).__name__)
    return any(
        says_average(name) or (is_module and _NETWORKS & set(words_of(name))) for name in names
    )


def _shapes_of(root: Any) -> Shapes:
    """By name; AveragedModel's own level is folded."""
    root = vars(root)["_modules"]["module"] if is_a(root, AveragedModel) else root
    return {name: shape_of(parameter) for name, parameter in walk_parameters(root)}


class _Shapes:
    """Of all trained modules; most trainings have nothing that has to be compared with them."""

    def __init__(self, trained: list[Any]) -> None:
        self._trained = trained
        self._shapes: list[Shapes] | None = None

    def all(self) -> list[Shapes]:
        if self._shapes is None:
            self._shapes = [_shapes_of(root) for root in self._trained]
        return self._shapes

    def are_followed_by(self, mine: Shapes) -> bool:
        """At least half of the parameters have the name and the shape of a trained one."""
        return any(
            mine and 2 * sum(live.get(name) == shape for name, shape in mine.items()) >= len(mine)
            for live in self.all()
        )


def _holder_of(module: Any, holders: list[Holder]) -> Holder | None:
    for holder in holders:
        if any(value is module for value in attributes(holder.thing).values()):
            return holder
    return None


def _named_groups(scopes: list[Holder]) -> list[Holder]:
    """Dicts and lists of tensors among a scope's variables, as holders of their own."""
    groups: dict[str, Holder] = {}
    for scope in scopes:
        for place, value in scope.leaves:
            if len(place) == 2 and is_a(value, torch.Tensor):
                group = groups.setdefault(place[0], Holder((place[0],), None))
                group.leaves.append((place, value))
    return list(groups.values())


def _shadows(holder: Holder, trained: list[Shapes]) -> bool:
    return bool(_shadow_names(holder, trained))


def _shadow_names(holder: Holder, trained: list[Shapes]) -> list[Path]:
    """Groups of tensors kept under the trained parameters' names, or in a list in their order."""
    groups: dict[Path, list[tuple[str, tuple[int, ...]]]] = {}
    for place, value in holder.leaves:
        if is_a(value, torch.Tensor) and len(place) <= 2:
            groups.setdefault(place[:-1], []).append((place[-1], shape_of(value)))
    return [place for place, group in groups.items() if _is_shadow(group, trained)]


def _is_shadow(group: list[tuple[str, tuple[int, ...]]], trained: list[Shapes]) -> bool:
    for live in trained:
        by_name = sum(live.get(name) == shape for name, shape in group)
        in_order = len(live) > 1 and [shape for _, shape in group] == list(live.values())
        if in_order or (live and 2 * by_name >= len(live)):
            return True
    return False
