"""Records: what is handed to a session at a boundary, and events beside it."""

import contextlib
import json
import threading
from collections.abc import Iterator
from typing import Any

from samestep import guard
from samestep._core import Session
from samestep.batches import Batches
from samestep.clock import Clock
from samestep.contract import clauses_of
from samestep.discovery.parts import Parts
from samestep.entry import Entry
from samestep.fields import fields_of
from samestep.gradients import Gradients
from samestep.lent import Changed, Lent, may_lend
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
        self._lent = Lent()
        self._left_out: set[tuple[str, str]] = set()  # paths and why, as told
        self.is_pending = False  # a capture in the background, until the next barrier
        self.thread = threading.get_ident()

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

    def is_step_of_the_save(self) -> bool:
        """A save made now may be the one whose checkpoint is judged."""
        plan = self.session.plan
        return plan.leg == "uninterrupted" and plan.at in (None, self.completed)

    def write(self, parts: Parts, phase: str, depth: str, inputs: Any = None) -> None:
        """The state at this boundary; raises what the session raises, the record then dropped."""
        self.finish()
        self._names = {id(thing): name for name, thing in parts.optimizers.items()}
        self.session.begin_record(self._clock.completed, phase, depth)
        with self._abandoned_on_error():
            lends = self.session.is_in_background and may_lend(parts.all_modules())
            writer = Writer(self.session, self._lent if lends else None)
            writer.write(fields_of(parts))
            writer.write(self._batch(inputs))
            writer.lend()
            if depth == "full":
                self.session.set_contract(clauses_of(parts))
            if self.session.is_in_background:
                self.session.start_record()
                self.is_pending = True
            else:
                self.session.commit_record()
        if depth == "full":
            self.captured_at = self.completed
            self.gradients.remember(parts)
        if parts.cut:
            writer.left_out["live objects"] = "the search for them ended at its bound"
        for path, why in sorted(writer.left_out.items() - self._left_out):
            self.event("left_out", field=path, why=why)
        self._left_out |= writer.left_out.items()

    @contextlib.contextmanager
    def _abandoned_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.is_pending = False
            self._lent.clear()
            self.session.abandon_record()
            raise

    def settle(self) -> None:
        """Now and then between a begin and the barrier: what is changed from now on does no harm
        to those fields that have been read."""
        if self.is_pending:
            with self._dropped_on_error():
                self._lent.settle(self.session.settle_record())

    def barrier(self) -> None:
        """Returns when a capture in the background reads no memory of the trainer any more."""
        if self.is_pending:
            with self._dropped_on_error():
                self.session.barrier()
                self._lent.settle_all()
                self.session.commit_record()
                self.is_pending = False
                self._lent.clear()

    @contextlib.contextmanager
    def _dropped_on_error(self) -> Iterator[None]:
        try:
            with self._abandoned_on_error():
                yield
        except Changed as error:
            self.captured_at = None
            self.event("capture_dropped", fields=error.paths)
            raise
        except Exception:
            self.captured_at = None
            raise

    def collect(self, wait: bool = False) -> None:
        """Logs the capture that was written in the background; notes the error it failed with."""
        try:
            self.session.collect_record(wait)
        except Exception as error:
            self.captured_at = None
            guard.note("capture in the background", error)

    def finish(self) -> None:
        """Nothing is in the works any more; errors are noted."""
        try:
            self.barrier()
        except Exception as error:
            guard.note("capture in the background", error)
        self.collect(wait=True)

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
        self.finish()
        self.errors()
        names = [self._names.get(id(optimizer)) for optimizer in self._clock.stepped()]
        stepping = sorted(name for name in names if name is not None)
        self.event("optimizers", known=sorted(self._names.values()), stepping=stepping)
        self.session.close()
