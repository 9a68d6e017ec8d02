"""Audits of trainers with a fault: the field to blame comes first, and the report is short."""

import pytest

pytestmark = pytest.mark.slow

# A small trainer; the names in capitals are what the cases below put in.
TRAINER = """
    import os, random, sys, torch
    from torch import nn
    OUT, RESUME = sys.argv[1], (sys.argv[2:] or [None])[0]
    torch.manual_seed(1)
    random.seed(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))
    optimizer, step = torch.optim.AdamW(model.parameters(), lr=0.01), 0
    STATE
    if RESUME:
        state = torch.load(RESUME, weights_only=False)
        model.load_state_dict(state["model"]ASSIGN)
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        torch.set_rng_state(state["rng"])
        random.setstate(state["python"])
    while step < 8:
        BEFORE
        x = BATCH
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        step += 1
        AFTER
        if step == 4:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                        "step": step, "rng": torch.get_rng_state(), "python": random.getstate(),
                        SAVED}, os.path.join(OUT, "checkpoint.pt"))
"""

FEED = """
    class Feed:
        def __init__(self):
            self.pos = 0
        def next(self):
            self.pos += 8
            return torch.randn(8, 4, generator=torch.Generator().manual_seed(self.pos))
    feed = Feed()
"""

REPLAY = """
    class Replay:
        def __init__(self):
            self.items = []
        def sample(self):
            self.items += [(torch.randn(4), random.random()) for _ in range(8)]
            return torch.stack([row[0] for row in random.sample(self.items, 8)])
    replay = Replay()
"""

AVERAGE = """
    swa, swa_count = [torch.zeros_like(p) for p in model.parameters()], 0
    if RESUME:
        swa = torch.load(RESUME, weights_only=False)["swa"]
"""

AVERAGED = """
        swa_count += 1
        with torch.no_grad():
            for mean, p in zip(swa, model.parameters()):
                mean += (p - mean) / swa_count
"""

UNFREEZE = """
        if step == 2:
            model[0].requires_grad_(True)
"""


def trainer(**parts):
    text = TRAINER
    usual = {"ASSIGN": "", "BATCH": "torch.randn(8, 4)"}
    for name in ("STATE", "ASSIGN", "BEFORE", "BATCH", "AFTER", "SAVED"):
        text = text.replace(name, parts.get(name, usual.get(name, "")).strip("\n ").strip())
    return text


CASES = {
    "replaced parameters": (
        {"ASSIGN": ", assign=True"},
        {"optimizer/param_groups/0/params": "not_applied"},
    ),
    "a cursor that moves when a batch is fetched": (
        {"STATE": FEED, "BATCH": "feed.next()", "SAVED": '"pos": feed.pos'},
        {"dataloader/feed/pos": "not_applied"},
    ),
    "the same, not saved": (
        {"STATE": FEED, "BATCH": "feed.next()"},
        {"dataloader/feed/pos": "missing"},
    ),
    "layers that were unfrozen": (
        {"STATE": "model[0].requires_grad_(False)", "BEFORE": UNFREEZE},
        {"model/0.weight.requires_grad": "missing", "model/0.bias.requires_grad": "missing"},
    ),
    "a replay memory": (
        {"STATE": REPLAY, "BATCH": "replay.sample()"},
        {"loop/replay/items": "missing"},
    ),
    "the count of an average in a variable": (
        {"STATE": AVERAGE, "AFTER": AVERAGED, "SAVED": '"swa": swa'},
        {"loop/swa_count": "missing"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_field_to_blame(case, trainers):
    parts, blamed = CASES[case]
    audit = trainers.audit(trainers.script(trainer(**parts)), at=4)
    assert audit.verdict == "diverged", (audit.report, audit.error)
    assert audit.blamed == blamed
