"""Each sample checkpoint, real or hostile, is one test: check_samples.py says what a right reader does with it."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("check_samples", HERE / "check_samples.py")
check_samples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_samples)


# The sample lists an enumeration member's name and class, which Python knows after importing the class. The file
# holds the class's name and the member's value alone, and nothing is imported here.
NOT_IN_THE_FILE = {"torch-python-zoo-proto2", "torch-python-zoo-proto4"}


def samples():
    for file in sorted(HERE.glob("*/*/sample.json")):
        kind = json.loads(file.read_text())["set"]
        reason = "the name of an enumeration's member is not in the file"
        marks = [pytest.mark.xfail(reason=reason)] if file.parent.name in NOT_IN_THE_FILE else []
        yield pytest.param(file.parent, id=f"{kind}-{file.parent.name}", marks=marks)


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """The hostile files that are too large to keep: made here, by their own script."""
    folder = tmp_path_factory.mktemp("large")
    script = HERE / "hostile" / "make_large.py"
    subprocess.run([sys.executable, script, folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.mark.parametrize("folder", list(samples()))
def test_sample(folder, samestep, large, capsys):
    right = check_samples.check(folder, samestep, large, verbose=False)
    assert right, capsys.readouterr().out
