"""The examples keep their promise without samestep: what they resume ends in the same bytes."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "python/examples"


def train(script: str, *options: str) -> None:
    command = [sys.executable, str(EXAMPLES / script), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


def leaves(value, path=()):
    """Every leaf of a nested state, by its path."""
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, (list, tuple)):
        children = enumerate(value)
    else:
        return {path: value}
    return {p: leaf for key, child in children for p, leaf in leaves(child, (*path, key)).items()}


def differing(source: Path, target: Path) -> list[tuple]:
    import torch

    a, b = (leaves(torch.load(path, weights_only=False)) for path in (source, target))
    assert a.keys() == b.keys()
    tensors = (torch.Tensor,)
    return [
        k for k in a if not (torch.equal(a[k], b[k]) if isinstance(a[k], tensors) else a[k] == b[k])
    ]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    train("char_transformer.py", "--out", str(folder), "--steps", "28", "--save-every", "8")
    return folder


@pytest.mark.parametrize("at", [8, 24], ids=["inside an epoch", "at an epoch's end"])
def test_the_transformer_resumes_into_the_same_bytes(at, uninterrupted, tmp_path):
    resume = str(uninterrupted / f"checkpoint-{at}.pt")
    train(
        "char_transformer.py",
        *("--out", str(tmp_path), "--steps", "28", "--seed", "99", "--resume", resume),
    )
    assert differing(uninterrupted / "final.pt", tmp_path / "final.pt") == []


def test_its_fault_changes_the_result(uninterrupted, tmp_path):
    resume = str(uninterrupted / "checkpoint-8.pt")
    train(
        "char_transformer.py",
        *("--out", str(tmp_path), "--steps", "28", "--resume", resume, "--fault", "step-counter"),
    )
    changed = differing(uninterrupted / "final.pt", tmp_path / "final.pt")
    assert ("optimizer", "state", 0, "step") in changed


def test_the_stock_trainer_resumes_into_the_same_weights(tmp_path):
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    train("hf_trainer.py", "--out", str(whole))
    train("hf_trainer.py", "--out", str(resumed), "--resume", str(whole / "checkpoint-4"))
    weights = "checkpoint-8/model.safetensors"
    assert (whole / weights).read_bytes() == (resumed / weights).read_bytes()
