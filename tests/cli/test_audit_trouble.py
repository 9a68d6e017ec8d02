"""An audit that cannot reach a verdict: exit 2, one line, children ended, no half report."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

WAITS = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(120)"


def audit(samestep, tmp_path, *arguments, command):
    return subprocess.run(
        [samestep, "audit", "--json", "--work", str(tmp_path / "work"), *arguments, "--", *command],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as status:
        return status.read().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["sh", "-c", "echo the reason; exit 3", "{out}"], "the reason"),
        (["sh", "-c", "kill -9 $$", "{out}"], "log"),
        (["no-such-program-anywhere", "{out}"], "no-such-program-anywhere"),
        (["true", "{out}"], "log"),
        (["true"], "{out}"),
    ],
)
def test_a_leg_that_fails_is_one_line(samestep, tmp_path, command, says):
    done = audit(samestep, tmp_path, "--at", "2", command=command)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("samestep: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr


def test_a_leg_that_hangs_is_ended(samestep, tmp_path):
    pid = tmp_path / "pid"
    command = [sys.executable, "-c", WAITS, str(pid), "{out}"]
    done = audit(samestep, tmp_path, "--at", "2", "--timeout", "3", command=command)
    assert done.returncode == 2
    assert done.stdout == ""
    assert not is_alive(int(pid.read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_legs(samestep, tmp_path, number):
    pid = tmp_path / "pid"
    # A grandchild: the whole group must go.
    inner = shlex.join([sys.executable, "-c", WAITS, str(pid), "{out}"])
    child = subprocess.Popen(
        [samestep, "audit", "--at", "2", "--work", str(tmp_path / "work")]
        + ["--", "sh", "-c", f"{inner}; true", "{out}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs tests in the background has them ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    for _ in range(600):
        if pid.exists() and pid.read_text():
            break
        time.sleep(0.05)
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 2
    assert out == ""
    assert err.count("\n") == 1
    assert not is_alive(int(pid.read_text()))
