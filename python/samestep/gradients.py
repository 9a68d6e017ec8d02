"""Gradients of a capture that turn out to be dead: cleared before anything was added to them."""

import weakref
from typing import Any

from samestep.discovery.parts import Parts
from samestep.probes.gradients import gradient_entries
from samestep.tensors import Unreadable, digest_of


class Gradients:
    """Remembers which parameters had a gradient at the capture, and its digest."""

    def __init__(self) -> None:
        self._held: list[tuple[str, weakref.ref[Any], str]] = []

    def remember(self, parts: Parts) -> None:
        by_gradient = {
            id(parameter.grad): parameter
            for module in parts.modules.values()
            for parameter in module.parameters()
        }
        self._held = []
        for entry in gradient_entries(parts.modules):
            try:
                parameter = weakref.ref(by_gradient[id(entry.value)])
                self._held.append((entry.text(), parameter, entry.digest()))
            except (KeyError, Unreadable):
                continue

    def dead(self) -> list[str]:
        """Paths of those that changed since; asked once, before the first backward after it."""
        held, self._held = self._held, []
        paths = []
        for path, link, digest in held:
            parameter = link()
            gradient = None if parameter is None else parameter.grad
            if gradient is None or digest_of(gradient) != digest:
                paths.append(path)
        return paths
