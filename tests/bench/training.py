"""The training that benchmarks share: real steps, and the recorder's calls around them."""

import json
import time

import torch
from torch import nn

TOKENS_A_ROW, VOCABULARY = 128, 2000


def add_arguments(parser, tokens):
    """15 layers of width 704: 183 parameters, with AdamW's moments 549 tensors of 1.089 GB."""
    parser.add_argument("--layers", type=int, default=15)
    parser.add_argument("--width", type=int, default=704)
    parser.add_argument("--tokens", type=int, default=tokens)


def timed(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


class Training:
    """`options`: layers, width and tokens of a step. A language model with AdamW, which has made
    its slots."""

    def __init__(self, options, run, background=True):
        from samestep import registry
        from samestep._core import Session
        from samestep.batches import Batches
        from samestep.clock import Clock
        from samestep.records import Records

        torch.manual_seed(0)
        width = options.width
        layer = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.1, batch_first=True)
        self.model = nn.Sequential(
            nn.Embedding(VOCABULARY, width),
            nn.TransformerEncoder(layer, options.layers, enable_nested_tensor=False),
            nn.LayerNorm(width),
        )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        registry.optimizers.add(self.optimizer)
        rows = max(options.tokens // TOKENS_A_ROW, 1)
        self.batch = torch.randint(VOCABULARY, (rows, TOKENS_A_ROW))
        self.clock = Clock()
        self.run = run
        plan = {
            "schema": "plan.v1", "leg": "uninterrupted", "run": str(run), "start": 0, "at": 0,
            "steps": 1, "trace": False, "log_begins": False, "final_only": False, "out": "",
            "checkpoint": "", "copy_to": "", "stop": False, "stepping": [],
            "background": background,
        }  # fmt: skip
        path = run.parent / "plan.json"
        run.mkdir()
        path.write_text(json.dumps(plan))
        self.session = Session.open(str(path), 0, 1)
        self.records = Records(self.session, self.clock, Batches())
        self.work()
        self.optimizer.step()  # the slots

    def work(self):
        self.optimizer.zero_grad()
        self.model(self.batch).square().mean().backward()

    def begin(self, depth="full"):
        from samestep.discovery.search import search

        with torch.no_grad():
            self.records.write(search(self.model), "begin", depth, [self.batch])

    def state(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def tensors(self):
        """Parameters and moments; AdamW has a step beside them, of one number each."""
        slots = [v for slots in self.optimizer.state.values() for v in slots.values()]
        return [*self.model.parameters(), *(slot for slot in slots if slot.numel() > 1)]

    def facts(self):
        tensors = self.tensors()
        return {
            "bytes": sum(tensor.nbytes for tensor in tensors),
            "tensors": len(tensors),
            "tokens": self.batch.numel(),
        }

    def digests(self):
        from samestep._core import digest_views
        from samestep.tensors import memory_of

        slots = self.optimizer.state
        named = {f"model/{name}": p for name, p in self.model.named_parameters()}
        for name, parameter in self.model.named_parameters():
            for slot, value in slots[parameter].items():
                named[f"optimizer/state/{name}/{slot}"] = value
        views = [memory_of(tensor).view for tensor in named.values()]
        return dict(zip(named, digest_views(views), strict=True))
