"""One search for all live state: from the stack, the registries and what the trainer named."""

from typing import Any

from samestep.discovery.frames import Scope, stack_scopes
from samestep.discovery.named import components_in, declared_in
from samestep.discovery.parts import Parts, parts_of
from samestep.discovery.suspended import suspended_scopes
from samestep.discovery.walk import Walk
from samestep.watched import watched


def search(called: Any = None) -> Parts:
    """`called`: the module whose forward begins a step. The result keeps what was found alive:
    drop it before training goes on."""
    named = Scope("watched", dict(watched), False)
    found = Walk().run([named, *stack_scopes(), *suspended_scopes()])
    parts = parts_of(found, components_in(watched), called)
    parts.declared = declared_in(watched)
    return parts
