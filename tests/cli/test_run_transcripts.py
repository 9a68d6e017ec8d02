"""Golden transcripts of what is said about recorded runs: sound, with damage, and beside another.

SAMESTEP_UPDATE_GOLDEN=1 writes them anew.
"""

import array
import json
import os
import struct
import subprocess
from pathlib import Path

import pytest

from samestep import _core

GOLDEN = Path(__file__).resolve().parent / "golden_runs"
LOG = ".samestep/log/rank-0.jsonl.zst"
PACK = ".samestep/captures/2/rank-0.0.pack"
TIME = 1.7e9


def record(folder: Path, time: float) -> Path:
    """A run with captures of steps 1 and 2; `time` is when it began."""
    run, plan = folder / "run", folder / "plan.json"
    run.mkdir(parents=True)
    plan.write_text(
        json.dumps(
            {"schema": "plan.v1", "leg": "uninterrupted", "run": str(run), "start": 0, "at": 2}
            | {"steps": 2, "trace": True, "log_begins": True, "final_only": False, "out": ""}
            | {"checkpoint": "", "copy_to": "", "stop": True, "stepping": []}
        )
    )
    session = _core.Session.open(str(plan), 0, 1)
    assert session is not None
    for step in range(4):
        session.begin_record(step, "begin", "full" if step in (1, 2) else "digest")
        weights = array.array("f", [1.0, 2.0, step])
        view = _core.View.make(weights.buffer_info()[0], "float32", [3], [1])
        traits = {"declared": "parameter"}
        session.add_tensor("model/weight", "parameter", view, traits, 0, 0, "cpu", True)
        session.add_value(
            "optimizer/param_groups/0/lr", "hyperparameter", 0.1, {"declared": "state_dict"}
        )
        session.add_value("loop/began_time", "other", time, {"declared": "attribute"})
        session.add_value("loop/is_warm", "other", step > 1, {"declared": "attribute"})
        session.add_value("loop/main/i", "other", int(time % 7), {"declared": "frame"})
        session.commit_record()
    session.close()
    return run


def safetensors(path: Path, weights: list[float]) -> None:
    head = {
        "weight": {"dtype": "F32", "shape": [len(weights)], "data_offsets": [0, 4 * len(weights)]}
    }
    text = json.dumps(head).encode()
    path.write_bytes(
        struct.pack("<Q", len(text)) + text + struct.pack(f"<{len(weights)}f", *weights)
    )


@pytest.fixture
def runs(tmp_path):
    record(tmp_path / "a", TIME)
    record(tmp_path / "b", TIME + 100)
    safetensors(tmp_path / "right.safetensors", [1.0, 2.0, 2.0])
    safetensors(tmp_path / "wrong.safetensors", [1.0, 2.0, 3.0])
    (tmp_path / "empty.pt").touch()
    (tmp_path / "text.pt").write_text("no archive\n" * 9)
    return tmp_path


def without_pack(runs: Path) -> None:
    (runs / "a/run" / PACK).unlink()


def cut_pack(runs: Path) -> None:
    os.truncate(runs / "a/run" / PACK, 70)


def without_record(runs: Path) -> None:
    (runs / "a/run/.samestep/captures/2/rank-0.json").unlink()


def begun_capture(runs: Path) -> None:
    (runs / "a/run/.samestep/captures/3").mkdir()


def torn_log(runs: Path) -> None:
    log = runs / "a/run" / LOG
    os.truncate(log, log.stat().st_size - 3)


def damaged_log(runs: Path) -> None:
    log = runs / "a/run" / LOG
    text = bytearray(log.read_bytes())
    text[len(text) // 2] ^= 0x5A
    log.write_bytes(text)


def sound(runs: Path) -> None:
    pass


TRANSCRIPTS = {
    "gate-tolerates": (sound, ["gate", "a/run", "right.safetensors"]),
    "gate-refuses": (sound, ["gate", "a/run", "wrong.safetensors"]),
    "gate-two-captures": (sound, ["gate", "a/run", "b/run"]),
    "gate-no-pack": (without_pack, ["gate", "a/run", "wrong.safetensors"]),
    "gate-damaged-log": (damaged_log, ["gate", "a/run", "right.safetensors"]),
    "diff-noise": (sound, ["diff", "a/run", "b/run"]),
    "diff-noise-exact": (sound, ["diff", "--exact", "a/run", "b/run"]),
    "diff-empty": (sound, ["diff", "right.safetensors", "empty.pt"]),
    "diff-quick-empty": (sound, ["diff", "--quick", "empty.pt", "empty.pt"]),
    "diff-quick-text": (sound, ["diff", "--quick", "text.pt", "text.pt"]),
    "diff-quick-folder": (sound, ["diff", "--quick", "a", "a"]),
    "diff-quick-nothing": (sound, ["diff", "--quick", "none.pt", "none.pt"]),
    "diff-no-pack": (without_pack, ["diff", "--exact", "a/run", "b/run"]),
    "verify-run": (sound, ["verify", "a/run"]),
    "verify-no-pack": (without_pack, ["verify", "a/run"]),
    "verify-no-record": (without_record, ["verify", "a/run"]),
    "verify-begun-capture": (begun_capture, ["verify", "a/run"]),
    "prune-no-record": (without_record, ["prune", "a/run"]),
    "inspect-part-of-run": (sound, ["inspect", "a/run/.samestep/captures"]),
    "verify-cut-pack": (cut_pack, ["verify", "a/run"]),
    "verify-torn-log": (torn_log, ["verify", "a/run"]),
    "verify-damaged-log": (damaged_log, ["verify", "a/run"]),
    "inspect-no-pack": (without_pack, ["inspect", "a/run"]),
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcript(samestep, runs, name):
    prepare, arguments = TRANSCRIPTS[name]
    prepare(runs)
    done = subprocess.run(
        [samestep, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
        cwd=runs,
        check=False,
    )
    errors = "".join(f"stderr: {line}\n" for line in done.stderr.splitlines())
    got = f"$ samestep {' '.join(arguments)}\n{done.stdout}{errors}exit {done.returncode}\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SAMESTEP_UPDATE_GOLDEN"):
        path.write_text(got)
    assert got == path.read_text()


def test_every_golden_file_is_used():
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(TRANSCRIPTS)
