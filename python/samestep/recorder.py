"""Recorder: obeys one session. It finds the boundaries and hands over what lies at them."""

import json
import os
from typing import Any

import torch

from samestep import guard, process, saves
from samestep._core import Decision, Session
from samestep.batches import Batches
from samestep.budget import Budget
from samestep.clock import Clock
from samestep.contract import clauses_of
from samestep.discovery.parts import Parts
from samestep.discovery.search import search
from samestep.entry import Entry
from samestep.fields import entries_of
from samestep.forward_hook import ForwardHook
from samestep.gradients import Gradients
from samestep.loads import Loads
from samestep.registry import optimizers
from samestep.stop import end_process
from samestep.tensors import digest_of_leaves, leaves_of
from samestep.trace import Trace
from samestep.trained import Trained
from samestep.writer import Writer

# So many begins before the capture are logged at any price.
_BEGINS_BEFORE = 2


class Recorder:
    """One a process. `asleep`: another process records this rank, or this is none that trains."""

    def __init__(self, plan_path: str) -> None:
        self._plan_path = plan_path
        self._session: Session | None = None
        self._at: int | None = None
        self._busy = False
        self.asleep = False
        self.waiting = True  # for the first training forward of a step
        self.worked = False  # a begin or a backward since the last completed step
        self.window_open = False  # a backward since the last completed step
        self._saves_seen = 0
        self._ended_at: int | None = None
        self._budget = Budget()
        self.hook = ForwardHook(self.forward)
        self.clock = Clock()
        self.batches = Batches()
        self.loads = Loads()
        self.saves = saves.Saves()
        self.gradients = Gradients()
        self.trace = Trace()
        self.trained = Trained()

    # Boundaries

    def forward(self, module: Any, inputs: Any) -> None:
        """A module is about to be called."""
        if self.asleep or self._busy or not torch.is_grad_enabled():
            return
        saved_inside = self.window_open and self.saves.made > self._saves_seen
        if not (self.waiting or saved_inside):
            return
        if self.trained.is_trained(module) and not process.is_loader_worker():
            self._begin(module, inputs, saved_inside and not self.waiting)

    def backward(self, tensors: Any) -> None:
        """A backward is about to run."""
        if self.asleep or self._busy or not optimizers.alive() or process.is_loader_worker():
            return
        if self.waiting:
            self._begin(None, None, False)
        self.window_open = self.worked = True
        self._report_dead_gradients()
        if self.trace.is_on:
            self._guarded_trace(lambda: self.trace.loss(tensors))

    def stepping(self, optimizer: Any) -> None:
        """An optimizer is about to step."""
        if self.trace.is_on and not self._busy and self.worked:
            self._guarded_trace(lambda: self.trace.gradients(optimizer))

    def stepped(self, optimizer: Any) -> None:
        """An optimizer has stepped, or its scaler has skipped the step.

        Steps that follow no training forward or backward are dummies of some getter.
        """
        if self.asleep or self._busy or not self.worked:
            return
        if self.trace.is_on:
            self._guarded_trace(lambda: self.trace.optimizer(optimizer))
        if self.clock.step(optimizer):
            self._end()

    def saved(self, call: str) -> None:
        """A save call of the training thread has returned."""
        self.event("save", call=call, completed=self.clock.completed, inside=self.window_open)
        if self.window_open and not self.asleep:
            self.hook.arm()

    # What is done at them

    def _begin(self, module: Any, inputs: Any, again: bool) -> None:
        self._busy = True
        try:
            session = self._opened()
            if session is None:
                return
            self.waiting, self.worked = False, True
            self.hook.disarm()
            self._saves_seen = self.saves.made
            running = self.saves.running_elsewhere()
            decision = session.at_begin(self.clock.completed, again, running)
            with self._budget.spend():
                self._obey(session, decision, module, inputs)
        finally:
            self._busy = False

    def _obey(self, session: Session, decision: Decision, module: Any, inputs: Any) -> None:
        with torch.no_grad():
            wanted = decision.record != "none" and self._is_affordable(session, decision)
            if wanted or decision.trace:
                parts = search(module)
                self._report_loads(session, parts)
                if wanted:
                    extra = self._batch_entries(inputs)
                    self._record(session, parts, "begin", decision.record, extra)
                self.trace.switch(decision.trace, session, self.clock, parts)
            else:
                self.trace.switch(False, session, self.clock, None)
            if decision.trace:
                self._trace_batch(inputs)
        self._flush_errors(session)
        if decision.stop:
            self._stop(session)

    def _is_affordable(self, session: Session, decision: Decision) -> bool:
        """Begins well before the capture are logged as far as they cost little; they only tell
        what moved, and from which step a stale value is."""
        total, at = session.plan.start + self.clock.completed, session.plan.at
        early = at is None or total < at - _BEGINS_BEFORE
        return decision.record == "full" or self._at is not None or not early or self._budget.left()

    def _end(self) -> None:
        """`completed` grew."""
        self.trace.switch(False, None, self.clock, None)
        self.waiting, self.worked, self.window_open = True, False, False
        self.hook.arm()
        session = self._session
        if session is None:
            return
        self._busy = True
        try:
            self._report_dead_gradients()
            decision = session.at_end(self.clock.completed, self.saves.running_elsewhere())
            if self._is_last(session) and not decision.stop:
                # If training ends here there is no begin to come; one that comes replaces this.
                with torch.no_grad():
                    self._record(session, search(), "end", "digest", [])
                self._ended_at = self.clock.completed
            self._flush_errors(session)
            if decision.stop:
                self._stop(session)
        finally:
            self._busy = False

    def _is_last(self, session: Session) -> bool:
        plan = session.plan
        at = plan.at if plan.at is not None else self._at
        if at is None and plan.final_only:
            at = plan.start
        total = plan.start + self.clock.completed
        return plan.leg != "bare" and at is not None and total == at + plan.steps

    def _record(
        self, session: Session, parts: Parts, phase: str, depth: str, extra: list[Entry]
    ) -> None:
        session.begin_record(self.clock.completed, phase, depth)
        try:
            writer = Writer(session)
            writer.write(entries_of(parts))
            writer.write(extra)
            if depth == "full":
                session.set_contract(clauses_of(parts))
            session.commit_record()
        except BaseException:
            session.abandon_record()
            raise
        if depth == "full":
            self._at = session.plan.start + self.clock.completed
            self.gradients.remember(parts)
        if parts.cut:
            session.event("search_cut", json.dumps({"completed": self.clock.completed}))

    def _batch_entries(self, inputs: Any) -> list[Entry]:
        digest, owner = self.batches.consumed_by(inputs), "loader"
        if digest is None:
            leaves, owner = leaves_of(inputs), "forward_input"
            if not leaves:
                return []
            digest = digest_of_leaves(leaves)
        traits = {"declared": "loader", "owner": owner}
        return [Entry(("dataloader", "next_batch"), "cursor", digest, traits)]

    def _trace_batch(self, inputs: Any) -> None:
        digest = self.batches.consumed_by(inputs)
        if digest is not None:
            self.trace.emit("batch", digest)
        leaves = leaves_of(inputs)
        if leaves:
            self.trace.emit("batch" if digest is None else "input", digest_of_leaves(leaves))

    def _report_loads(self, session: Session, parts: Parts) -> None:
        for path, digest, call in self.loads.resolve(parts):
            session.observe_loaded(path, digest, call)

    def _report_dead_gradients(self) -> None:
        dead = self.gradients.dead()
        if dead and self._session is not None:
            self._session.dead_gradients(dead)

    def _guarded_trace(self, emit: Any) -> None:
        self._busy = True
        try:
            with torch.no_grad():
                emit()
        except Exception as error:
            guard.note("trace", error)
        finally:
            self._busy = False

    # The session

    def _opened(self) -> Session | None:
        if self._session is None and not self.asleep:
            rank, world = process.rank(), process.world_size()
            self._session = Session.open(self._plan_path, rank, world)
            self.asleep = self._session is None
            if self._session is not None and self._session.plan.stepping:
                self.clock.stepping_count = len(self._session.plan.stepping)
        return self._session

    def event(self, name: str, **facts: Any) -> None:
        if self._session is not None and not self.asleep:
            self._session.event(name, json.dumps(facts, sort_keys=True))

    def _flush_errors(self, session: Session) -> None:
        for text in guard.take_noted():
            session.event("recorder_error", text)

    def _tell_optimizers(self, session: Session) -> None:
        known = optimizers.alive()
        stepped = self.clock.stepped()
        names = [f"optimizer.{i}" if i else "optimizer" for i in range(len(known))]
        stepping = [n for n, o in zip(names, known, strict=True) if any(o is s for s in stepped)]
        session.event("optimizers", json.dumps({"known": names, "stepping": stepping}))

    def _stop(self, session: Session) -> None:
        self._tell_optimizers(session)
        session.close()
        end_process(session.plan.run, process.rank(), process.world_size())

    def exit(self) -> None:
        """The interpreter ends by itself."""
        session = self._session
        if session is None or self.asleep or self._busy:
            return
        self._busy = True
        decision = session.at_exit(self.clock.completed)
        if decision.record != "none" and self._ended_at != self.clock.completed:
            with torch.no_grad():
                self._record(session, search(), "end", decision.record, [])
        self._flush_errors(session)
        self._tell_optimizers(session)
        session.close()

    def forked(self) -> None:
        """In a child made by fork: the parent's session is not ours."""
        self.asleep = self.asleep or self._session is not None
        self._session = None


_recorder: Recorder | None = None


def recorder() -> Recorder:
    """The process's recorder, made at its first use."""
    global _recorder
    if _recorder is None:
        _recorder = Recorder(os.environ["SAMESTEP_PLAN"])
    return _recorder
