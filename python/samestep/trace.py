"""What happens inside a step, as digests in causal order; no tensor is kept."""

from typing import Any

import torch

from samestep._core import Session
from samestep.clock import Clock
from samestep.discovery.modules import walk_modules
from samestep.discovery.parts import Parts
from samestep.probes.optimizer import optimizer_entries
from samestep.tensors import digest_of, digest_of_leaves, leaves_of


class Trace:
    """On between a begin and the end of its step, when the plan asks for it."""

    def __init__(self) -> None:
        self.is_on = False
        self.sees_forwards = True  # off where a global hook would have modules compiled anew
        self._session: Session | None = None
        self._completed = 0
        self._modules: dict[int, str] = {}
        self._parameters: dict[int, str] = {}
        self._slots: dict[int, str] = {}
        self._optimizers: dict[int, str] = {}
        self._hook: Any = None

    def switch(
        self,
        on: bool,
        session: Session | None = None,
        clock: Clock | None = None,
        parts: Parts | None = None,
    ) -> None:
        self.is_on = on and session is not None and parts is not None
        if self._hook is not None:
            self._hook.remove()
            self._hook = None
        if not self.is_on or parts is None or clock is None:
            return
        self._session, self._completed = session, clock.completed
        self._name(parts)
        if self.sees_forwards:
            register = torch.nn.modules.module.register_module_forward_hook
            self._hook = register(self._forward)

    def _name(self, parts: Parts) -> None:
        self._modules = {}
        for component, root in parts.modules.items():
            number = component.partition(".")[2]
            for name, module in walk_modules(root):
                label = f"{number}:{name}" if number else name
                self._modules.setdefault(id(module), label)
        self._slots = parts.names.slots
        self._parameters = {
            key: name if component == "model" else f"{component}.{name}"
            for key, (component, name) in parts.names.full.items()
        }
        self._optimizers = {id(thing): name for name, thing in parts.optimizers.items()}

    def emit(self, phase: str, digest: str) -> None:
        if self._session is not None:
            self._session.trace(self._completed, phase, digest)

    def _forward(self, module: Any, inputs: Any, output: Any) -> None:
        name = self._modules.get(id(module))
        if name is None or not self.is_on or not torch.is_grad_enabled():
            return
        with torch.no_grad():
            leaves = [(path, leaf) for path, leaf in leaves_of(output) if hasattr(leaf, "dtype")]
            if leaves:
                self.emit(f"forward:{name}", digest_of_leaves(leaves))

    def loss(self, tensors: Any) -> None:
        """`tensors` are those whose backward is called."""
        leaves = leaves_of(tensors)
        if leaves:
            self.emit("loss", digest_of_leaves(leaves))

    def gradients(self, optimizer: Any) -> None:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = self._parameters.get(id(parameter))
                if name is not None and parameter.grad is not None:
                    self.emit(f"grad:{name}", digest_of(parameter.grad))

    def optimizer(self, optimizer: Any) -> None:
        """Parameters and slots after the step."""
        component = self._optimizers.get(id(optimizer))
        if component is None:
            return
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = self._parameters.get(id(parameter))
                if name is not None:
                    self.emit(f"optimizer:model/{name}", digest_of(parameter))
        for entry in optimizer_entries(component, optimizer, lambda p: self._slots.get(id(p))):
            if entry.path[1] == "state":
                self.emit(f"optimizer:{entry.text()}", entry.digest())
