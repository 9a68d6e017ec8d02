"""What tracing the operators of a step costs, beside PyTorch's DebugMode with tensor hashes.

    op_trace.py [--rounds 7] [--library PATH] [--layers 6]

The step is a small transformer's: forward, backward and AdamW without `foreach`, with as many
layers as make about 1,000 operators of it, on one thread. Bare steps, steps under the tracer and
steps under DebugMode (torch.utils._debug_mode, hashes of outputs and inputs) take turns in one
process, and which goes first changes from round to round, so that a load that comes or goes meets
all of them. `ours` and `peer` are the medians of a step under each divided by the median of a bare
one; `ratio` is ours by peer. `load` is the load average at the start and at the end. Taking the
record of the tracer is part of its step. The bar is ours <= 3.
"""

import argparse
import contextlib
import ctypes
import json
import os
import statistics
import sys
import time
from pathlib import Path

import torch

WARM_UP = 2
BAR = 3.0


class Tracer:
    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.library.samestep_op_trace_take.restype = ctypes.c_char_p
        self.operators = 0

    def step(self, step) -> None:
        self.library.samestep_op_trace_start(3)
        try:
            step()
        finally:
            self.library.samestep_op_trace_stop()
        parts = []
        while (part := self.library.samestep_op_trace_take()) is not None:
            parts.append(part)
        self.parts = parts

    def count(self) -> int:
        return sum(len(json.loads(part)["operators"]) for part in self.parts)


class Peer:
    """DebugMode with hashes, where this PyTorch has it."""

    def __init__(self) -> None:
        from torch.utils._debug_mode import DebugMode

        self.mode = DebugMode

    def step(self, step) -> None:
        with (
            self.mode(record_torchfunction=False) as mode,
            mode.log_tensor_hashes(hash_fn="hash_tensor", hash_inputs=True),
        ):
            step()


def small_step(layers: int):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    width = 64
    layer = torch.nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.1, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
    batch = torch.randn(8, 32, width)

    def step() -> None:
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()

    return step


def seconds(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def library() -> str:
    import samestep
    from samestep.op_trace import find_library

    return str(find_library(Path(samestep.__path__[0]), torch.__version__.partition("+")[0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--library", default="")
    options = parser.parse_args()
    load = [os.getloadavg()[0]]
    step, tracer = small_step(options.layers), Tracer(options.library or library())
    ways = {"bare": step, "ours": lambda: tracer.step(step)}
    with contextlib.suppress(ImportError):
        peer = Peer()
        ways["peer"] = lambda: peer.step(step)
    for work in ways.values():
        for _ in range(WARM_UP):
            work()
    times: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(options.rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            times[name].append(seconds(ways[name]))
    load.append(os.getloadavg()[0])
    median = {name: statistics.median(values) for name, values in times.items()}
    ours = median["ours"] / median["bare"]
    peer = median["peer"] / median["bare"] if "peer" in median else None
    line = {
        "name": "op_trace/step",
        "ours": round(ours, 2),
        "peer": None if peer is None else round(peer, 2),
        "ratio": None if peer is None else round(ours / peer, 3),
        "bar": "<= 3",
        "operators": tracer.count(),
        "step_ms": round(1e3 * median["bare"], 2),
        "rounds": options.rounds,
        "torch": torch.__version__,
        "load": [round(value, 1) for value in load],
    }
    print(json.dumps(line))
    if ours > BAR:
        sys.exit(f"the tracer takes {ours:.2f} times the step, the bar is {BAR}")


if __name__ == "__main__":
    main()
