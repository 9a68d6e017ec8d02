"""Ends the process once the plan is done, in step with the other ranks of this machine."""

import contextlib
import os
import sys
import time
from pathlib import Path

_WAIT_SECONDS = 10.0


_UNCLEAR = (
    "samestep: the optimizers of this trainer step at different paces, which leaves open what step "
    "--at means: leave --at out, the step is then told by when the checkpoint appears"
)


# Told apart by the audit from an exit of the trainer's own.
_UNCLEAR_STATUS = 87


def refuse_unclear_step() -> None:
    """Never returns; the log, which is not closed, says that this leg is not whole."""
    print(_UNCLEAR, file=sys.stderr, flush=True)
    os._exit(_UNCLEAR_STATUS)


def end_process(run: str, rank: int, world_size: int) -> None:
    """Never returns. Ranks wait for each other a while: one that ends early breaks collectives
    that others still finish."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    if world_size > 1:
        with contextlib.suppress(OSError):
            _meet(Path(run) / ".samestep", rank, world_size)
    os._exit(0)


def _meet(folder: Path, rank: int, world_size: int) -> None:
    (folder / f"rank-{rank}.done").touch()
    until = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < until:
        if all((folder / f"rank-{other}.done").exists() for other in range(world_size)):
            break
        time.sleep(0.02)
