"""A diverged audit as its reader meets it: folders with blanks, commands to paste."""

import json
import os
import shlex
import subprocess
import sys

import pytest

TRAINER = """
import os, sys, torch
out, note, checkpoint = sys.argv[1:4]
assert note == "it's \\"so\\"", note
os.makedirs(out, exist_ok=True)
torch.manual_seed(1)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters())
step = 0
if checkpoint != "none":
    state = torch.load(checkpoint)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    step = state["step"]
    for slots in optimizer.state.values():
        slots["step"] = torch.tensor(0.0)
while step < 8:
    step += 1
    torch.manual_seed(step)
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 3:
        whole = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
        torch.save(whole, f"{out}/a checkpoint.tmp")
        os.replace(f"{out}/a checkpoint.tmp", f"{out}/a checkpoint.pt")
"""


@pytest.fixture(scope="module")
def audit(samestep, tmp_path_factory):
    folder = tmp_path_factory.mktemp("a folder with blanks")
    script = folder / "the trainer.py"
    script.write_text(TRAINER)
    train = [sys.executable, str(script), "{out}", 'it\'s "so"']
    work, page = folder / "the work", folder / "the report.html"
    done = subprocess.run(
        [samestep, "audit", "--at", "3", "--work", str(work), "--html", str(page)]
        + [
            "--checkpoint",
            "{out}/a checkpoint.pt",
            "--resume",
            shlex.join([*train, "{checkpoint}"]),
        ]
        + ["--", *train, "none"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert page.exists()
    return done, work


def test_it_names_the_field_and_ends_with_the_verdict(audit):
    done, work = audit
    lines = done.stdout.splitlines()
    assert lines[0] == "Confirmed"
    assert "optimizer/state/*/step" in lines[1]
    assert "overwritten" in lines[2]
    assert lines[-1].startswith("verdict: diverged")
    assert f"kept in {work}" in done.stdout
    assert done.stderr == ""


def test_each_next_command_works_when_pasted(audit, samestep):
    done, _ = audit
    commands = {line.split("next", 1)[1] for line in done.stdout.splitlines() if "  next  " in line}
    assert commands
    path = os.path.dirname(samestep) + os.pathsep + os.environ["PATH"]
    for command in commands:
        again = subprocess.run(
            ["bash", "-c", f"{command} --json"],
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": path},
            check=False,
        )
        assert again.returncode in (0, 1), again.stderr
        report = json.loads(again.stdout)
        fields = [finding["field"] for finding in report["findings"]]
        assert any(field.endswith("/step") for field in fields), command
