from collections.abc import Sequence
from typing import Any

Value = None | bool | int | float | str | bytes | Sequence[int] | Sequence[float]

class View:
    @staticmethod
    def make(
        pointer: int,
        dtype: str,
        shape: Sequence[int],
        strides: Sequence[int],
        conjugate: bool = ...,
        negative: bool = ...,
    ) -> View: ...

def digest_view(view: View) -> str: ...
def digest_value(value: Value) -> str: ...

class Plan:
    leg: str
    run: str
    start: int
    at: int | None
    steps: int
    trace: bool
    out: str
    checkpoint: str
    stop: bool
    final_only: bool
    stepping: list[str]

class Decision:
    record: str
    trace: bool
    stop: bool

class Session:
    plan: Plan
    @staticmethod
    def open(plan_path: str, rank: int, world_size: int) -> Session | None: ...
    def at_begin(self, completed: int, window_open: bool, save_running: bool) -> Decision: ...
    def at_end(self, completed: int, save_running: bool) -> Decision: ...
    def at_exit(self, completed: int) -> Decision: ...
    def begin_record(self, completed: int, phase: str, depth: str) -> None: ...
    def add_tensor(
        self,
        path: str,
        role: str,
        view: View,
        traits: dict[str, str],
        storage: int,
        storage_offset: int,
        device: str,
        requires_grad: bool,
    ) -> None: ...
    def add_value(self, path: str, role: str, value: Value, traits: dict[str, str]) -> None: ...
    def set_contract(self, clauses: dict[str, str]) -> None: ...
    def commit_record(self) -> None: ...
    def abandon_record(self) -> None: ...
    def trace(self, completed: int, phase: str, digest: str) -> None: ...
    def observe_loaded(self, path: str, digest: str, call: str) -> None: ...
    def dead_gradients(self, paths: Sequence[str]) -> None: ...
    def event(self, name: str, json: str) -> None: ...
    def close(self) -> None: ...

def read_run(run: str) -> list[dict[str, Any]]: ...
