"""Records: what is handed to a session at a boundary, and events beside it."""

import json
from typing import Any

from samestep import guard
from samestep._core import Session
from samestep.batches import Batches
from samestep.clock import Clock
from samestep.contract import clauses_of
from samestep.discovery.parts import Parts
from samestep.entry import Entry
from samestep.fields import entries_of
from samestep.gradients import Gradients
from samestep.loads import Loads
from samestep.tensors import digest_of_leaves, leaves_of
from samestep.writer import Writer


class Records:
    """Of one session; `captured_at` is the step of the full capture, counted from the start."""

    def __init__(self, session: Session, clock: Clock, batches: Batches) -> None:
        self.session = session
        self.captured_at: int | None = None
        self.gradients = Gradients()
        self._names: dict[int, str] = {}  # of optimizers, by identity, as last recorded
        self._clock = clock
        self._batches = batches

    @property
    def completed(self) -> int:
        """Steps since the start of training, those of earlier processes included."""
        return self.session.plan.start + self._clock.completed

    def is_last(self) -> bool:
        """The plan's last boundary follows the step that was just completed."""
        plan = self.session.plan
        at = plan.at if plan.at is not None else self.captured_at
        if at is None and plan.final_only:
            at = plan.start
        return plan.leg != "bare" and at is not None and self.completed == at + plan.steps

    def write(self, parts: Parts, phase: str, depth: str, inputs: Any = None) -> None:
        """The state at this boundary; raises what the session raises, the record then dropped."""
        self._names = {id(thing): name for name, thing in parts.optimizers.items()}
        self.session.begin_record(self._clock.completed, phase, depth)
        try:
            writer = Writer(self.session)
            writer.write(entries_of(parts))
            writer.write(self._batch(inputs))
            if depth == "full":
                self.session.set_contract(clauses_of(parts))
            self.session.commit_record()
        except BaseException:
            self.session.abandon_record()
            raise
        if depth == "full":
            self.captured_at = self.completed
            self.gradients.remember(parts)
        if parts.cut:
            self.event("search_cut", completed=self.completed)

    def _batch(self, inputs: Any) -> list[Entry]:
        if inputs is None:
            return []
        digest, owner = self._batches.consumed_by(inputs), "loader"
        if digest is None:
            leaves, owner = leaves_of(inputs), "forward_input"
            if not leaves:
                return []
            digest = digest_of_leaves(leaves)
        traits = {"declared": "loader", "owner": owner}
        return [Entry(("dataloader", "next_batch"), "cursor", digest, traits)]

    def loads(self, loads: Loads, parts: Parts) -> None:
        for path, digest, call in loads.resolve(parts):
            self.session.observe_loaded(path, digest, call)

    def dead_gradients(self) -> None:
        """Asked before something is added to the gradients of a capture."""
        dead = self.gradients.dead()
        if dead:
            self.session.dead_gradients(dead)

    def event(self, name: str, **facts: Any) -> None:
        self.session.event(name, json.dumps(facts, sort_keys=True))

    def errors(self) -> None:
        """Our own errors so far: the audit is to say that something was not seen."""
        for text in guard.take_noted():
            self.session.event("recorder_error", text)

    def close(self) -> None:
        """Tells which optimizers stepped, and ends the log."""
        self.errors()
        names = [self._names.get(id(optimizer)) for optimizer in self._clock.stepped()]
        stepping = sorted(name for name in names if name is not None)
        self.event("optimizers", known=sorted(self._names.values()), stepping=stepping)
        self.session.close()
