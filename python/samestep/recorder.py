"""Recorder: finds the boundaries of a training and obeys one session at them."""

import os
import threading
from collections.abc import Callable
from typing import Any

import torch

from samestep import guard, process, saves
from samestep._core import Decision, Session
from samestep.batches import Batches
from samestep.budget import Budget
from samestep.checkpoint_watch import CheckpointWatch
from samestep.clock import Clock
from samestep.discovery.frames import call_keywords
from samestep.discovery.search import search
from samestep.forward_hook import ForwardHook
from samestep.loads import Loads
from samestep.op_trace import BETWEEN, OPTIMIZER, OpTrace
from samestep.records import Records
from samestep.registry import optimizers
from samestep.saves import streams_of
from samestep.stop import end_process, refuse_unclear_step
from samestep.tensors import digest_of_leaves, leaves_of
from samestep.trace import Trace
from samestep.trained import Trained

# So many begins before the capture are logged at any price.
_BEGINS_BEFORE = 2


class Recorder:
    """One a process. `asleep`: another process records this rank, or this is none that trains.

    A step begins at the first training forward after the last one completed; where a model is
    called in no way that we see, at the backward.
    """

    def __init__(self, plan_path: str) -> None:
        self._plan_path = plan_path
        self._records: Records | None = None
        self._busy = False
        self.asleep = False
        self.compiles = False  # something is compiled: global hooks would have it compiled anew
        self._waiting = True  # for the first training forward of a step
        self._worked = False  # a begin or a backward since the last completed step
        self._window_open = False  # a backward since the last completed step
        self._saves_seen = 0
        self._saved_since_begin = False  # by the training thread
        self._checkpoints = CheckpointWatch("", "")
        self._ended_at: int | None = None
        self._budget = Budget()
        self.hook = ForwardHook(self.forward)
        self.clock = Clock()
        self.batches = Batches()
        self.loads = Loads()
        self.saves = saves.Saves()
        self.trace = Trace()
        self.op_trace = OpTrace()
        self._trained = Trained()

    def forward(self, module: Any, inputs: Any, keywords: Any = None) -> None:
        """A module is about to be called; `keywords` are looked for on the stack when not given."""
        if self.asleep or self._busy or not torch.is_grad_enabled():
            return
        if not self._waiting and not self._window_open and not self._saved_since_begin:
            return
        if not self._trained.is_trained(module) or process.is_loader_worker():
            return
        if self._waiting or self._was_saved():
            keywords = call_keywords() if keywords is None else keywords
            self._begin(module, [*inputs, keywords], not self._waiting)

    def backward(self, tensors: Any) -> None:
        """A backward is about to run."""
        if self.asleep or self._busy or not optimizers.alive() or process.is_loader_worker():
            return
        if self._waiting:
            self._begin(None, None, False)
        self._window_open = self._worked = True
        if self._records is not None:
            self._alone(self._records.settle)
            self._alone(self._records.dead_gradients)
        if self.trace.is_on:
            self._alone(lambda: self.trace.loss(tensors))

    def backward_done(self) -> None:
        """A backward has run."""
        if self._records is not None and not self.asleep and not self._busy:
            self._alone(self._records.gradients.settle)

    def stepping(self, optimizer: Any) -> None:
        """An optimizer is about to step."""
        self.barrier()
        self.op_trace.phase(OPTIMIZER)
        if self.trace.is_on and not self._busy and self._worked:
            self._alone(lambda: self.trace.gradients(optimizer))

    def barrier(self) -> None:
        """State is about to change that a capture in the background may still be reading."""
        records = self._records
        if records is not None and records.is_pending and not self.asleep and not self._busy:
            self._alone(records.barrier)

    def forking(self) -> None:
        """This process is about to fork: no thread of ours is at work then."""
        records = self._records
        if records is None or self.asleep or self._busy:
            return
        if records.thread == threading.get_ident():
            self._alone(records.finish)

    def stepped(self, optimizer: Any, skipped: bool = False) -> None:
        """An optimizer has stepped, or its scaler has `skipped` the step.

        Steps that follow no training forward or backward are dummies of some getter.
        """
        self.op_trace.phase(BETWEEN)
        if self.asleep or self._busy or not self._worked:
            return
        self.barrier()  # the step may have been skipped
        if self.trace.is_on:
            self._alone(lambda: self.trace.optimizer(optimizer))
        grew = self.clock.step(optimizer)
        self._refuse_unclear_step()
        if grew:
            if skipped:
                self.event("skipped_step", completed=self.clock.completed)
            self.trace.switch(False)
            self._waiting, self._worked, self._window_open = True, False, False
            self.hook.arm()
            self._alone(self._end)

    def _refuse_unclear_step(self) -> None:
        """--at counts the steps of all optimizers together. Where one turns out to step less
        often, the capture may have been, or will be, of another step than was meant."""
        records, clock = self._records, self.clock
        if records is None or records.session.plan.leg != "uninterrupted":
            return
        if records.session.plan.at is None or records.session.plan.stepping:
            return
        if clock.is_uneven or (clock.joined_late and records.captured_at is not None):
            refuse_unclear_step()

    def saved(self, call: str, before: dict[str, Any], changed: dict[str, Any]) -> None:
        """A save call of the training thread has returned; the marks of the state before it, and
        those that it changed."""
        if self._records is not None and not self.asleep:
            inside = self._window_open
            marks: dict[str, dict[str, str]] = {"before": streams_of(before)}
            if changed:
                marks["after"] = marks["before"] | streams_of(changed)
            completed = self.clock.completed
            if self._records.is_step_of_the_save() and not self._busy:
                self._alone(lambda: marks.update(undeclared=saves.undeclared_marks()))
            self._records.event("save", call=call, completed=completed, inside=inside, **marks)
            # What looked like the begin was a forward of something else, before the save.
            self._saved_since_begin = not self._waiting
            if self._saved_since_begin and not self.compiles:
                self.hook.arm()

    def event(self, name: str, **facts: Any) -> None:
        if self._records is not None and not self.asleep:
            self._records.event(name, **facts)

    def exit(self) -> None:
        """The interpreter ends by itself."""
        if self._records is not None and not self.asleep and not self._busy:
            self._alone(self._exit)
            self._records.close()

    def forked(self) -> None:
        """In a child made by fork: the parent's session is not ours, nor is a training that the
        parent has set up and is about to begin."""
        self.asleep = self.asleep or self._records is not None or bool(optimizers.alive())
        self.op_trace.drop()
        self._records = None

    def _alone(self, work: Callable[[], None]) -> None:
        """Runs `work` with our own hooks quiet; its error is noted."""
        self._busy = True
        try:
            with self.op_trace.paused(), torch.no_grad():
                work()
        except Exception as error:
            guard.note(getattr(work, "__name__", "trace"), error)
        finally:
            self._busy = False

    def _opened(self) -> Records | None:
        if self._records is None and not self.asleep:
            session = Session.open(self._plan_path, process.rank(), process.world_size())
            self.asleep = session is None
            if session is not None:
                plan = session.plan
                self._records = Records(session, self.clock, self.batches)
                self._checkpoints = CheckpointWatch(plan.out, plan.checkpoint)
                self.clock.stepping_count = len(plan.stepping) or None
        return self._records

    def _was_saved(self) -> bool:
        """A checkpoint was written since the begin of this step."""
        return self.saves.made > self._saves_seen or self._checkpoints.changed()

    def _begin(self, module: Any, inputs: Any, again: bool) -> None:
        records = self._opened()
        if records is None:
            return
        self._waiting, self._worked = False, True
        self._saved_since_begin = False
        self._saves_seen = self.saves.made
        self._alone(self._checkpoints.look)
        if self.compiles or records.completed != records.session.plan.at:
            self.hook.disarm()  # else a later forward of the window may have to begin again
        with self._budget.spend():
            if not again:
                self._alone(lambda: self.op_trace.stop(records.session))
            self._alone(lambda: self._obey(records, module, inputs, again))
        if not again and records.completed == records.session.plan.operators_at:
            self._alone(lambda: self._trace_operators(records, module))

    def _obey(self, records: Records, module: Any, inputs: Any, again: bool) -> None:
        session = records.session
        records.collect()
        running = self.saves.running_elsewhere()
        decision = session.at_begin(self.clock.completed, again, running)
        self.trace.switch(False)
        wanted = decision.record != "none" and self._is_affordable(records, decision)
        if wanted or decision.trace:
            parts = search(module)
            records.loads(self.loads, parts)
            if wanted:
                records.write(parts, "begin", decision.record, inputs)
            if decision.trace:
                self.trace.sees_forwards = not self.compiles
                self.trace.switch(True, session, self.clock, parts)
                self._trace_batch(inputs)
        records.errors()
        if decision.stop:
            self._stop(records)

    def _trace_operators(self, records: Records, module: Any) -> None:
        self.op_trace.start(records.session, search(module), module, not self.compiles)

    def _is_affordable(self, records: Records, decision: Decision) -> bool:
        """Begins well before the capture are logged as far as they cost little; they only tell
        what moved, and from which step a stale value is."""
        at = records.session.plan.at
        early = at is None or records.completed < at - _BEGINS_BEFORE
        captured = records.captured_at is not None
        return decision.record == "full" or captured or not early or self._budget.left()

    def _trace_batch(self, inputs: Any) -> None:
        digest = self.batches.consumed_by(inputs)
        if digest is not None:
            self.trace.emit("batch", digest)
        leaves = leaves_of(inputs)
        if leaves:
            self.trace.emit("batch" if digest is None else "input", digest_of_leaves(leaves))

    def _end(self) -> None:
        records = self._records
        if records is None:
            return
        records.collect()
        records.dead_gradients()
        decision = records.session.at_end(self.clock.completed, self.saves.running_elsewhere())
        if records.is_last() and not decision.stop:
            # If training ends here there is no begin to come; one that comes replaces this.
            records.write(search(), "end", "digest")
            self._ended_at = self.clock.completed
        records.errors()
        if decision.stop:
            self._stop(records)

    def _exit(self) -> None:
        records = self._records
        if records is not None:
            self.op_trace.stop(records.session)
            decision = records.session.at_exit(self.clock.completed)
            if decision.record != "none" and self._ended_at != self.clock.completed:
                records.write(search(), "end", decision.record)

    def _stop(self, records: Records) -> None:
        records.close()
        end_process(records.session.plan.run, process.rank(), process.world_size())


_recorder: Recorder | None = None


def recorder() -> Recorder:
    """The process's recorder, made at its first use."""
    global _recorder
    if _recorder is None:
        _recorder = Recorder(os.environ["SAMESTEP_PLAN"])
    return _recorder
