"""Puts all hooks in place, once torch has been imported."""

import atexit
import os

from samestep.guard import guarded
from samestep.hooks import classes, compiling, loads, loop, optimizers, saves
from samestep.recorder import recorder


def install() -> None:
    recorder().hook.arm()
    optimizers.install()
    loads.install()
    classes.install()
    compiling.install()
    saves.install()
    loop.install()
    os.register_at_fork(before=guarded(recorder().forking))
    os.register_at_fork(after_in_child=guarded(recorder().forked))
    atexit.register(guarded(recorder().exit))
