"""What digests of all durable state at each step cost, as a share of the step.

    step_digest.py [--layers 15] [--width 704] [--tokens 2048] [--rounds 7] [--work DIR]

A Transformer is trained with AdamW (1.089 GB of parameters and moments in 549 tensors) on at least
2,000 tokens a step. `ours`: a begin as the recorder logs it at each step: all live state
is searched and digested. `peer`: the step itself, forward, backward and optimizer. Medians of
rounds in which both take turns, in rotated order; rounds that others disturbed are made anew.
Beside them: digests of parameters and slots alone (`digests_s`). In the same run a flipped bit is
seen in its tensor and no other. Ends with 1 when the bar is missed.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import torch
from rounds import run_rounds
from training import Training, add_arguments

BAR = 0.0086
TOKENS_MIN = 2000


def check(training):
    """A flipped bit changes one digest."""
    before = training.digests()
    path = sorted(path for path in before if path.endswith("exp_avg"))[len(before) // 8]
    name = path.removeprefix("optimizer/state/").rpartition("/")[0]
    parameter = dict(training.model.named_parameters())[name]
    bits = training.optimizer.state[parameter]["exp_avg"].view(torch.int32).view(-1)
    bits[-1] ^= 1
    after = training.digests()
    bits[-1] ^= 1
    return [key for key in before if before[key] != after[key]] == [path]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser, 2048)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        training = Training(options, Path(folder, "run"), background=False)
        is_seen = check(training)

        def step():
            training.work()
            training.optimizer.step()
            training.clock.step(training.optimizer)
            training.optimizer.zero_grad()

        def digest():
            training.begin("digest")

        step()
        contestants = {"step": step, "digest": digest, "views": training.digests}
        medians, rounds, disturbed = run_rounds(contestants, options.rounds)
        training.records.close()
    facts = training.facts()
    ratio = medians["digest"][0] / medians["step"][0]
    within = ratio <= BAR and facts["tokens"] >= TOKENS_MIN
    line = {
        "name": "step_digest/step",
        "ours": round(medians["digest"][0], 5),
        "peer": round(medians["step"][0], 5),
        "ratio": round(ratio, 5),
        "unit": "s",
        "cpu_s": round(medians["digest"][1], 5),
        "digests_s": round(medians["views"][0], 5),
        **facts,
        "rounds": rounds,
        "disturbed": disturbed,
        "bar": f"<= {BAR}",
        "within": within,
    }
    print(json.dumps(line), flush=True)
    if not is_seen:
        print("a flipped bit was not seen, or elsewhere", file=sys.stderr)
    return 0 if within and is_seen else 1


if __name__ == "__main__":
    sys.exit(main())
