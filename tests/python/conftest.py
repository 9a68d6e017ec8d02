"""Trainers in processes of their own, with and without a recorder."""

import json
import os
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Leg:
    """What one run of a trainer left behind."""

    folder: Path
    out: Path
    stdout: str
    ranks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def capture(self) -> dict[str, Any]:
        """Fields of the full capture of rank 0, by path."""
        assert self.ranks[0]["capture"] is not None, self.ranks[0]["events"]
        return self.ranks[0]["capture"]["fields"]

    @property
    def begins(self) -> list[tuple[int, str]]:
        return [(begin["completed"], begin["phase"]) for begin in self.ranks[0]["begins"]]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(text) for event, text in self.ranks[0]["events"] if event == name]

    def differs_from(self, other: "Leg") -> set[str]:
        """Paths of captured fields whose digests differ, or that one of the two lacks."""
        mine, theirs = self.capture, other.capture
        return {
            path
            for path in mine.keys() | theirs.keys()
            if mine.get(path, {}).get("digest") != theirs.get(path, {}).get("digest")
        }


@dataclass
class Audit:
    """What `samestep audit` said of a trainer."""

    code: int
    report: dict[str, Any]
    error: str
    work: Path

    @property
    def verdict(self) -> str:
        assert self.report, self.error
        return self.report["verdict"]

    @property
    def blamed(self) -> dict[str, str]:
        """Fates of the confirmed findings by field."""
        findings = [f for f in self.report["findings"] if f["grade"] == "confirmed"]
        return {finding["field"]: finding.get("fate", "") for finding in findings}

    def captured(self, leg: str, rank: int = 0) -> dict[str, Any]:
        """Fields of the full capture of a leg, by path."""
        from samestep._core import read_run

        return read_run(str(self.work / leg / "run"))[rank]["capture"]["fields"]

    def assert_same(self) -> None:
        assert (self.code, self.blamed) == (0, {}), (self.report.get("reason"), self.error)
        assert self.verdict == "same"


@dataclass
class Trainers:
    folder: Path
    samestep: str = ""

    def script(self, text: str) -> Path:
        path = self.folder / "train.py"
        path.write_text(textwrap.dedent(text))
        return path

    def bare(self, script: Path, *args: str, name: str = "bare", **environment: str) -> Leg:
        """Runs `script OUT ARGS` without a plan."""
        return self._run(script, name, args, environment, None)

    def record(
        self, script: Path, *args: str, name: str = "leg", ranks: int = 1, **plan: Any
    ) -> Leg:
        """Runs `script OUT ARGS` under a plan; `plan` holds its fields that are not the usual."""
        return self._run(script, name, args, {}, plan, ranks)

    def audit(
        self,
        script: Path,
        *options: str,
        at: int = 3,
        checkpoint: str = "checkpoint.pt",
        steps: int = 2,
        args: tuple[str, ...] = (),
        resume: tuple[str, ...] = ("{checkpoint}",),
        ranks: int = 1,
    ) -> Audit:
        """Audits `script {out} ARGS`, resumed as `script {out} ARGS RESUME`."""
        fresh = [*_launcher(ranks), str(script), "{out}", *args]
        where = ["--at", str(at), "--checkpoint", checkpoint, "--steps", str(steps), *options]
        return self.audit_command(where, fresh, [*fresh, *resume])

    def audit_command(self, options: list[str], fresh: list[str], resume: list[str]) -> Audit:
        work = self.folder / "audit"
        command = [self.samestep, "audit", "--json", "--work", str(work), *options]
        command += ["--resume", shlex.join(resume), "--", *fresh]
        env = os.environ | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            command, capture_output=True, text=True, env=env, timeout=600, check=False
        )
        report = json.loads(done.stdout) if done.stdout else {}
        return Audit(done.returncode, report, done.stderr, work)

    def _run(
        self,
        script: Path,
        name: str,
        args: tuple[str, ...],
        environment: dict[str, str],
        plan: dict[str, Any] | None,
        ranks: int = 1,
    ) -> Leg:
        folder = self.folder / name
        out = folder / "out"
        out.mkdir(parents=True)
        env = {key: value for key, value in os.environ.items() if key != "SAMESTEP_PLAN"}
        env |= {"OMP_NUM_THREADS": "1"} | environment
        if plan is not None:
            whole = {
                "schema": "plan.v1", "leg": "uninterrupted", "run": str(folder / "run"), "start": 0,
                "at": 2, "steps": 2, "trace": True, "log_begins": True, "final_only": False,
                "out": str(out), "checkpoint": "", "copy_to": "", "stop": True, "stepping": [],
            }  # fmt: skip
            (folder / "run").mkdir()
            said = {key: value for key, value in (whole | plan).items() if value is not None}
            (folder / "plan.json").write_text(json.dumps(said))
            env["SAMESTEP_PLAN"] = str(folder / "plan.json")
        command = [*_launcher(ranks), str(script), str(out), *args]
        done = subprocess.run(
            command, capture_output=True, text=True, env=env, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        leg = Leg(folder, out, done.stdout)
        if plan is not None:
            from samestep._core import read_run

            leg.ranks = read_run(str(folder / "run"))
        return leg


def _launcher(ranks: int) -> list[str]:
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    return [sys.executable, *(torchrun if ranks > 1 else [])]


@pytest.fixture
def trainers(tmp_path: Path, samestep: str) -> Trainers:
    return Trainers(tmp_path, samestep)
