"""What a gate costs beside the checkpoint that it judges.

    gate_speed.py --samestep PATH [--layers 15] [--width 704] [--tokens 512] [--rounds 7]
        [--work DIR]

A Transformer is trained with AdamW (1.089 GB of parameters and moments in 549 tensors). The peer of
both is torch.save of its whole state, without fsync, to a file that was not there. `gate_blocking`:
how long the training thread is kept so that there is something to judge by, which is a capture in
the background: from the begin of the step until its forward may run, and the barrier before the
optimizer steps. The gate itself runs in a process of its own. `gate_total`: that process, `samestep
gate CAPTURE CHECKPOINT`, from its start to its end, all files in the page cache. Medians of rounds
in rotated order; rounds that others disturbed are made anew. In the same run the gate lets the
checkpoint pass, and refuses one of which a bit was flipped; digests of captures are compared with
those of the state. Ends with 1 when a bar is missed.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import torch
from background_speed import Bench
from rounds import quiet_rounds
from training import Training, add_arguments, timed

BLOCKING_BAR, TOTAL_BAR = 0.02, 0.25
# The kernel writes what was captured in threads that are nobody's.
OTHERS_CORES_MAX = 0.3


class Gate:
    """A capture, and a checkpoint of the same moment."""

    def __init__(self, samestep, training, folder):
        self.samestep, self.training = samestep, training
        self.checkpoint, self.beside = folder / "checkpoint.pt", folder / "beside.pt"
        self.capture = training.run / ".samestep/captures/0"

    def state(self):
        streams = {
            "torch": torch.get_rng_state(),
            "python": random.getstate(),
            "numpy": numpy.random.get_state(),
        }
        return {**self.training.state(), "rng": streams}

    def make(self):
        self.training.optimizer.zero_grad()
        self.training.begin()
        self.training.records.barrier()
        torch.save(self.state(), self.checkpoint)
        self.training.session.collect_record(True)

    def save(self):
        self.beside.unlink(missing_ok=True)
        state = self.state()
        return timed(lambda: torch.save(state, self.beside))

    def judge(self, checkpoint):
        argv = [self.samestep, "gate", self.capture, checkpoint]
        return subprocess.run(argv, stdout=subprocess.DEVNULL, check=False).returncode

    def total(self):
        return timed(lambda: self.judge(self.checkpoint))

    def is_right(self):
        """The checkpoint passes, and one with another bit does not."""
        passes = self.judge(self.checkpoint) == 0
        bits = self.training.tensors()[-1].view(torch.int32).view(-1)
        bits[-1] ^= 1
        self.save()
        bits[-1] ^= 1
        return passes and self.judge(self.beside) == 1


def report(name, seconds, bar, others):
    ours, peer = (statistics.median(values) for values in seconds)
    within = ours <= bar * peer
    line = {
        "name": name,
        "ours": round(ours, 5),
        "peer": round(peer, 5),
        "ratio": round(ours / peer, 4),
        "unit": "s",
        **others,
        "bar": f"<= {bar}",
        "within": within,
    }
    print(json.dumps(line), flush=True)
    return within


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samestep", required=True)
    add_arguments(parser, 512)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        training = Training(options, Path(folder, "run"))
        gate = Gate(options.samestep, training, Path(folder))
        gate.make()
        is_right = gate.is_right()

        def rounds(contestants):
            answers, disturbed = quiet_rounds(
                contestants, options.rounds, others_max=OTHERS_CORES_MAX
            )
            seconds = [[answer[name] for answer in answers] for name in contestants]
            return seconds, {"rounds": options.rounds, "disturbed": disturbed, **facts}

        facts = training.facts()
        total, more = rounds({"gate": gate.total, "save": gate.save})
        good = report("gate_total/torch.save", total, TOTAL_BAR, more)

        bench = Bench(training, Path(folder))

        def blocking():
            bench.capture("ours", True)
            return bench.times["ours"][-1]

        kept, more = rounds({"capture": blocking, "save": gate.save})
        good &= report("gate_blocking/torch.save", kept, BLOCKING_BAR, more)
        training.records.close()
    if not is_right or bench.wrong:
        print("a gate or a capture was wrong", file=sys.stderr)
    return 0 if good and is_right and not bench.wrong else 1


if __name__ == "__main__":
    sys.exit(main())
