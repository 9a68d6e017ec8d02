"""Does a module train? It holds a parameter of a known optimizer and is in training mode.

Where an optimizer steps tensors that no module holds any more, the module that has others in their
place is the one that would train.
"""

import weakref
from collections import Counter
from typing import Any

from samestep.discovery.modules import parameters_of, walk_modules, walk_parameters
from samestep.discovery.search import search
from samestep.registry import optimizers
from samestep.tensors import shape_of


class Trained:
    """Answers are kept for each module until the optimizers or their parameters change."""

    def __init__(self) -> None:
        self._holds: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
        self._parameters: set[int] = set()
        self._shapes: list[Counter[Any]] = []  # of the parameters of each optimizer
        self._sign: tuple[Any, ...] = ()

    def is_trained(self, module: Any) -> bool:
        self._refresh()
        holds = self._holds.get(module)
        if holds is None:
            holds = any(id(p) in self._parameters for _, p in walk_parameters(module))
            holds = holds or self._stands_in(module)
            self._holds[module] = holds
        return holds and any(part.training for _, part in walk_modules(module))

    def _stands_in(self, module: Any) -> bool:
        """Looked for only where the shapes agree: a search costs as much as a record."""
        own = [p for _, p in walk_parameters(module) if p.requires_grad]
        shapes = Counter(shape_of(p) for p in own)
        if not any(wanted <= shapes for wanted in self._shapes if wanted):
            return False
        stand_ins = search(module).detached.stand_ins
        return any(id(p) in stand_ins for p in own)

    def _refresh(self) -> None:
        known = optimizers.alive()
        sign = tuple((id(o), sum(len(g["params"]) for g in o.param_groups)) for o in known)
        if sign != self._sign:
            self._sign = sign
            self._holds.clear()
            self._parameters = {id(parameter) for parameter in parameters_of(known)}
            self._shapes = [Counter(map(shape_of, parameters_of([o]))) for o in known]
