"""Result on standard output, whole; one clear line on standard error for what could not be done."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
CHECKPOINT = str(SAMPLES / "handed/torch-zip-proto2")
DAMAGED = str(SAMPLES / "hostile/dcp-bitflip")


def run(samestep, *arguments, **more):
    return subprocess.run([samestep, *arguments], text=True, check=False, **more)


def captured(samestep, *arguments):
    return run(samestep, *arguments, capture_output=True)


@pytest.mark.parametrize(
    ("arguments", "code", "schema"),
    [
        (["inspect", "--json", CHECKPOINT], 0, "inspect.v1"),
        (["inspect", "--json", "--digest", "xxh3,sha256", CHECKPOINT], 0, "inspect.v1"),
        (["verify", "--json", CHECKPOINT], 0, "report.v1"),
        (["verify", "--json", DAMAGED], 1, "report.v1"),
        (["diff", "--json", CHECKPOINT, CHECKPOINT], 0, "report.v1"),
    ],
)
def test_json_is_one_document_of_its_schema(samestep, arguments, code, schema):
    done = captured(samestep, *arguments)
    assert done.returncode == code, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["schema"] == schema


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "no/such/path"],
        ["inspect", "--json", "no/such/path"],
        ["inspect", "/dev/null"],
        ["verify", "--read-data-subset", "0%", CHECKPOINT],
        ["diff", CHECKPOINT, "no/such/path"],
        ["verify", "--html", "/no/such/folder/x.html", CHECKPOINT],
        ["schema", "nothing.v1"],
        ["--nonsense"],
    ],
)
def test_what_cannot_be_done_is_one_line(samestep, arguments):
    done = captured(samestep, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("samestep: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_exit_2(samestep):
    with open("/dev/full", "w") as full:
        done = run(samestep, "inspect", CHECKPOINT, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert "standard output: cannot be written" in done.stderr
    assert "free space" in done.stderr


def test_a_closed_pipe_is_exit_2_and_no_signal(samestep):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = run(samestep, "inspect", "--json", CHECKPOINT, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "its reader has gone" in done.stderr


def test_closed_standard_output_is_exit_2(samestep):
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" inspect "$1" >&-', samestep, CHECKPOINT],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "standard output" in done.stderr


def on_terminal(samestep, *arguments, **environment):
    """Standard output of the command when it is a terminal."""
    main, terminal = pty.openpty()
    child = subprocess.Popen(
        [samestep, *arguments],
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(terminal)
    text = b""
    try:
        while piece := os.read(main, 65536):
            text += piece
    except OSError:  # the terminal is gone when the child has ended
        pass
    child.wait()
    os.close(main)
    return text.decode()


def test_colour_is_for_terminals_without_no_color(samestep):
    assert "\x1b[" in on_terminal(samestep, "verify", CHECKPOINT, NO_COLOR="")
    assert "\x1b[" not in on_terminal(samestep, "verify", CHECKPOINT, NO_COLOR="1")
    assert "\x1b[" not in captured(samestep, "verify", CHECKPOINT).stdout


def test_the_verdict_is_the_last_line(samestep):
    for arguments in (
        ["verify", CHECKPOINT],
        ["verify", DAMAGED],
        ["diff", CHECKPOINT, CHECKPOINT],
    ):
        last = captured(samestep, *arguments).stdout.rstrip("\n").splitlines()[-1]
        assert last.startswith("verdict: ")


def test_html_and_junit_are_written(samestep, tmp_path):
    page, cases = tmp_path / "report.html", tmp_path / "report.xml"
    done = captured(samestep, "verify", "--html", str(page), "--junit", str(cases), DAMAGED)
    assert done.returncode == 1
    assert "<html" in page.read_text()
    assert "<failure" in cases.read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.html", "report.xml"]


def test_a_device_as_report_stays_a_device(samestep):
    done = captured(samestep, "verify", "--html", "/dev/null", CHECKPOINT)
    assert done.returncode == 0, done.stderr
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_no_obstacle_and_no_place_for_a_report(samestep, tmp_path):
    tmp_path.chmod(0o500)
    assert run(samestep, "verify", CHECKPOINT, capture_output=True, cwd=tmp_path).returncode == 0
    done = run(
        samestep, "verify", "--html", "a.html", CHECKPOINT, capture_output=True, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "is writable" in done.stderr


def test_progress_is_for_terminals(samestep):
    main, terminal = pty.openpty()
    done = run(samestep, "verify", CHECKPOINT, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    assert done.returncode == 0
    assert b"verify: reading" in os.read(main, 65536)
    os.close(main)
    assert captured(samestep, "verify", CHECKPOINT).stderr == ""


def test_the_same_input_gives_the_same_bytes(samestep):
    first, second = (captured(samestep, "inspect", "--json", CHECKPOINT).stdout for _ in range(2))
    assert first == second
