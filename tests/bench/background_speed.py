"""How long a capture in the background keeps the training thread, beside DCP's async_save.

    background_speed.py [--layers 15] [--width 704] [--tokens 2048] [--rounds 7] [--work DIR]

A Transformer is trained with AdamW (as it is: 1.089 GB of parameters and moments in 549 tensors;
`--layers 28 --width 512` has as many bytes in 1,017).
`ours`: from the begin of a step until its forward may run (all live state is searched, what a
forward changes is copied), and the barrier before the optimizer steps. `peer`: the call of
torch.distributed.checkpoint.async_save of the same state, whose dicts are there already; what it
started is over before the next turn. Medians of interleaved rounds in rotated order; what a round
wrote is deleted before the next. Beside the figure: what the same capture would keep the thread
without a step between (`at_once`), forward and backward with the capture in the works and without
(`step_s`, `step_alone_s`), its copies (`peak_copied` is not more than 256 MiB by contract), and
the load average at the start and the end. After each capture all its digests are compared with
those of the state as it was at the begin. Ends with 1 when the bar is missed or a capture is wrong.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from torch.distributed import checkpoint
from training import Training, add_arguments, timed

BAR = 0.1


class Bench:
    def __init__(self, training, folder):
        self.training, self.folder = training, folder
        self.times = {}
        self.wrong = 0

    def note(self, name, seconds):
        self.times.setdefault(name, []).append(seconds)

    def capture(self, name, with_step):
        training = self.training
        shutil.rmtree(training.run / ".samestep/captures", ignore_errors=True)
        expected = training.digests()
        training.optimizer.zero_grad()
        begin = timed(training.begin)
        if with_step:
            self.note("step", timed(training.work))
        barrier = timed(training.records.barrier)
        self.note(name, begin + barrier)
        self.note(f"{name} begin", begin)
        self.note(f"{name} barrier", barrier)
        if not with_step:
            training.work()
        training.optimizer.step()
        self.note(f"{name} done", timed(lambda: training.session.collect_record(True)))
        self.check(expected)

    def check(self, expected):
        (manifest,) = self.training.run.glob(".samestep/captures/*/rank-0.json")
        fields = json.loads(manifest.read_text())["fields"]
        found = {field["path"]: field.get("digest") for field in fields}
        self.wrong += any(found.get(path) != digest for path, digest in expected.items())

    def peer(self):
        target = self.folder / "peer"
        shutil.rmtree(target, ignore_errors=True)
        state = self.training.state()
        futures = []
        save = checkpoint.async_save
        self.note(
            "async_save", timed(lambda: futures.append(save(state, checkpoint_id=str(target))))
        )
        future = getattr(futures[0], "upload_completion", futures[0])
        self.note("async_save done", timed(future.result))

    def alone(self):
        self.note("step alone", timed(self.training.work))
        self.training.optimizer.step()

    def rounds(self, count):
        turns = [
            lambda: self.capture("ours", True),
            self.peer,
            lambda: self.capture("at once", False),
            self.alone,
        ]
        for number in range(-1, count):
            at = number % len(turns)
            for turn in turns[at:] + turns[:at]:
                turn()
            if number < 0:
                self.times.clear()

    def median(self, name):
        return round(statistics.median(self.times[name]), 5)


def main() -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser, 2048)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work")
    options = parser.parse_args()

    load = [round(os.getloadavg()[0], 1)]
    with tempfile.TemporaryDirectory(dir=options.work) as folder, contextlib.ExitStack() as stack:
        training = Training(options, Path(folder, "run"))
        stack.callback(training.records.close)
        bench = Bench(training, Path(folder))
        bench.rounds(options.rounds)
    load.append(round(os.getloadavg()[0], 1))
    ours, peer = bench.median("ours"), bench.median("async_save")
    within = ours <= BAR * peer
    line = {
        "name": "background_blocking/async_save",
        "ours": ours,
        "peer": peer,
        "ratio": round(ours / peer, 4),
        "unit": "s",
        "begin_s": bench.median("ours begin"),
        "barrier_s": bench.median("ours barrier"),
        "at_once_s": bench.median("at once"),
        "step_s": bench.median("step"),
        "step_alone_s": bench.median("step alone"),
        **training.facts(),
        "rounds": options.rounds,
        "load": load,
        "bar": f"<= {BAR}",
        "within": within,
    }
    print(json.dumps(line), flush=True)
    if bench.wrong:
        print(f"{bench.wrong} captures do not hold the state of their begin", file=sys.stderr)
    return 0 if within and not bench.wrong else 1


if __name__ == "__main__":
    sys.exit(main())
