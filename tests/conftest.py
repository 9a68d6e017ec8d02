"""What the Python suites share: where the command under test is."""

import os
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def samestep() -> str:
    """The command: $SAMESTEP, else the one installed beside this interpreter."""
    command = Path(os.environ.get("SAMESTEP") or Path(sys.executable).with_name("samestep"))
    if not os.access(command, os.X_OK):
        pytest.fail(f"{command} is not there: run `make setup`, or name it in SAMESTEP")
    return str(command.absolute())
