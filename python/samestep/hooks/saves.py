"""Save calls: marked while they run, and the live state looked at on both sides of them."""

import sys
import threading
from typing import Any

import torch

from samestep.import_hook import after_import
from samestep.patch import around
from samestep.recorder import recorder
from samestep.saves import marks


def _start(args: Any, keywords: Any) -> dict[str, Any] | None:
    outermost = recorder().saves.start()
    on_main = threading.current_thread() is threading.main_thread()
    return marks() if outermost and on_main and not recorder().asleep else None


def _finish(call: str) -> Any:
    def after(before: dict[str, Any] | None, args: Any, keywords: Any, result: Any) -> None:
        recorder().saves.finish()
        if before is None:
            return
        now = marks()
        changed = sorted(name for name in before if now.get(name) != before[name])
        recorder().saved(call, before, {name: now[name] for name in changed if name in now})
        if changed:
            recorder().event("save_changed_state", call=call, fields=changed)

    return after


def _finish_asynchronous(call: str) -> Any:
    finish = _finish(call)

    def after(before: dict[str, Any] | None, args: Any, keywords: Any, result: Any) -> None:
        future = getattr(result, "upload_completion", result)
        if hasattr(future, "add_done_callback"):
            key = recorder().saves.start_background()
            future.add_done_callback(lambda _: recorder().saves.finish_background(key))
        finish(before, args, keywords, result)

    return after


def _install_checkpoint() -> None:
    checkpoint = sys.modules["torch.distributed.checkpoint"]
    name = "torch.distributed.checkpoint"
    around(checkpoint, "save", _start, _finish(f"{name}.save"))
    around(checkpoint, "async_save", _start, _finish_asynchronous(f"{name}.async_save"))


def _install_safetensors() -> None:
    module = sys.modules["safetensors.torch"]
    for call in ("save_file", "save_model"):
        around(module, call, _start, _finish(f"safetensors.{call}"))


def install() -> None:
    for owner in (torch, torch.serialization):
        around(owner, "save", _start, _finish("torch.save"))
    after_import("torch.distributed.checkpoint", _install_checkpoint)
    after_import("safetensors.torch", _install_safetensors)
