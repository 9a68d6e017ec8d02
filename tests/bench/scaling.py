"""How digests and captures grow with the size of the state and with the number of its tensors.

    scaling.py [--mib-max 4096] [--tensors-max 100000] [--rounds 5] [--work DIR] [--svg FILE]

Float32 noise: from 1 MiB to --mib-max in 64 tensors, and 100 MiB in 1 to --tensors-max tensors.
`digest`: digest_views of all of them. `capture`: a full record, raw, as the recorder writes it in
the foreground (a group of fields a hundred tensors), data synced and manifest written; the capture
is deleted before the next. Medians of --rounds rounds in which both take turns (3 from 1 GiB on).
After each capture its digests are compared with those of the tensors. Figures are read, there is
no bar: one JSON line a point, and with --svg a plot of them, by matplotlib.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch

TENSORS, MIB = 64, 100
ROUNDS_OF_LARGE, LARGE_MIB = 3, 1024
GROUP = 100


def powers(first, last, factor):
    found = [first]
    while found[-1] * factor <= last:
        found.append(found[-1] * factor)
    return found


class Point:
    """A state of so many MiB in so many tensors."""

    def __init__(self, mib, tensors, folder):
        from samestep._core import Session
        from samestep.entry import Group
        from samestep.tensors import memory_of

        each = max(mib * 2**18 // tensors, 1)
        whole = torch.empty(tensors * each, dtype=torch.float32)
        for part in whole.split(1 << 22):
            part.normal_()
        self.parts = list(whole.split(each))
        self.views = [memory_of(part).view for part in self.parts]
        self.groups = [
            Group(
                ("model",),
                "parameter",
                {str(at + i): part for i, part in enumerate(self.parts[at : at + GROUP])},
                {"declared": "parameter"},
            )
            for at in range(0, tensors, GROUP)
        ]
        self.run = Path(folder, "run")
        shutil.rmtree(self.run, ignore_errors=True)
        self.run.mkdir()
        plan = {
            "schema": "plan.v1", "leg": "uninterrupted", "run": str(self.run), "start": 0, "at": 0,
            "steps": 1, "trace": False, "log_begins": False, "final_only": False, "out": "",
            "checkpoint": "", "copy_to": "", "stop": False, "stepping": [], "background": False,
            "store": "raw",
        }  # fmt: skip
        path = Path(folder, "plan.json")
        path.write_text(json.dumps(plan))
        self.session = Session.open(str(path), 0, 1)
        self.step = 0

    def digest(self):
        from samestep._core import digest_views

        began = time.perf_counter()
        self.digests = digest_views(self.views)
        return time.perf_counter() - began

    def capture(self):
        from samestep.writer import Writer

        shutil.rmtree(self.run / ".samestep/captures", ignore_errors=True)
        os.sync()
        self.step += 1
        began = time.perf_counter()
        self.session.begin_record(self.step, "begin", "full")
        Writer(self.session).write(self.groups)
        self.session.commit_record()
        return time.perf_counter() - began

    def is_right(self):
        manifest = self.run / f".samestep/captures/{self.step}/rank-0.json"
        fields = json.loads(manifest.read_text())["fields"]
        found = {field["path"]: field["digest"] for field in fields}
        return found == {f"model/{i}": digest for i, digest in enumerate(self.digests)}

    def measure(self, rounds):
        works = [self.digest, self.capture]
        times = [[], []]
        for number in range(-1, rounds):
            for which in (0, 1) if number % 2 else (1, 0):
                seconds = works[which]()
                if number >= 0:
                    times[which].append(seconds)
        right = self.is_right()
        self.session.close()
        return [statistics.median(each) for each in times], right


def plot(lines, path):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for axis, along, label in (
        (axes[0], "mib", f"MiB, in {TENSORS} tensors"),
        (axes[1], "tensors", f"tensors of {MIB} MiB together"),
    ):
        for kind in ("digest", "capture"):
            points = [line for line in lines if line["name"] == f"scaling_{along}/{kind}"]
            axis.plot(
                [line[along] for line in points],
                [line["ours"] for line in points],
                marker="o",
                label=kind,
            )
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel="seconds")
        axis.grid(visible=True, which="major", alpha=0.4)
        axis.legend()
    figure.savefig(path, metadata={"Date": None})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib-max", type=int, default=4096)
    parser.add_argument("--tensors-max", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work")
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()

    points = [("mib", mib, TENSORS) for mib in powers(1, options.mib_max, 4)]
    points += [("tensors", MIB, count) for count in powers(1, options.tensors_max, 10)]
    lines, all_right = [], True
    for along, mib, tensors in points:
        with tempfile.TemporaryDirectory(dir=options.work) as folder:
            rounds = min(options.rounds, ROUNDS_OF_LARGE) if mib >= LARGE_MIB else options.rounds
            medians, right = Point(mib, tensors, folder).measure(rounds)
        all_right &= right
        for kind, seconds in zip(("digest", "capture"), medians, strict=True):
            line = {
                "name": f"scaling_{along}/{kind}",
                "ours": round(seconds, 6),
                "unit": "s",
                "mib": mib,
                "tensors": tensors,
                "mib_a_second": round(mib / seconds, 1),
                "rounds": rounds,
                "load": round(os.getloadavg()[0], 1),
            }
            lines.append(line)
            print(json.dumps(line), flush=True)
    if options.svg:
        plot(lines, options.svg)
    if not all_right:
        print("a capture does not hold the state", file=sys.stderr)
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main())
