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
            for _, parameter in parts.trees.parameters(module)
        }
        self._held = []
        for entry in gradient_entries(parts.modules, trees=parts.trees):
            try:
                parameter = weakref.ref(by_gradient[id(entry.value)])
                self._held.append((entry.text(), parameter, entry.digest()))
            except (KeyError, Unreadable):
                continue

    def dead(self) -> list[str]:
        """Paths of those that changed since nobody added to them: they were cleared.

        Asked before each backward and at the end of the step. Those that still are what they were
        wait for the next question: several models may take turns in one step.
        """
        held, self._held = self._held, []
        paths = []
        for path, link, digest in held:
            if _gradient_digest(link) == digest:
                self._held.append((path, link, digest))
            else:
                paths.append(path)
        return paths

    def settle(self) -> None:
        """A backward has run: what it added to was alive."""
        self._held = [item for item in self._held if _gradient_digest(item[1]) == item[2]]


def _gradient_digest(link: weakref.ref[Any]) -> str | None:
    parameter = link()
    gradient = None if parameter is None else parameter.grad
    return None if gradient is None else digest_of(gradient)
