"""Imported by samestep.pth in every Python process that has SAMESTEP_PLAN: waits for torch."""

import sys

from samestep import import_hook, process


def _install() -> None:
    from samestep import install

    install.install()


def _start() -> None:
    try:
        if process.may_train():
            import_hook.after_import("torch", _install)
    except Exception as error:
        print(f"samestep: this process is not recorded: {error!r}", file=sys.stderr)


_start()
