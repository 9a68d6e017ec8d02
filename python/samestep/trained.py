"""Does a module train? It holds a parameter of a known optimizer and is in training mode."""

import weakref
from typing import Any

from samestep.discovery.modules import parameters_of, walk_modules, walk_parameters
from samestep.registry import optimizers


class Trained:
    """Answers are kept for each module until the optimizers or their parameters change."""

    def __init__(self) -> None:
        self._holds: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
        self._parameters: set[int] = set()
        self._sign: tuple[Any, ...] = ()

    def is_trained(self, module: Any) -> bool:
        self._refresh()
        holds = self._holds.get(module)
        if holds is None:
            holds = any(id(p) in self._parameters for _, p in walk_parameters(module))
            self._holds[module] = holds
        return holds and any(part.training for _, part in walk_modules(module))

    def _refresh(self) -> None:
        known = optimizers.alive()
        sign = tuple((id(o), sum(len(g["params"]) for g in o.param_groups)) for o in known)
        if sign != self._sign:
            self._sign = sign
            self._holds.clear()
            self._parameters = {id(parameter) for parameter in parameters_of(known)}
