"""Audits from end to end of trainers that are hard to record: what is sound comes out `same`."""

import pytest

pytestmark = pytest.mark.slow

# A small trainer; the names in capitals are what the cases below put in.
TRAINER = """
    import os, random, sys, torch
    from torch import nn
    OUT, RESUME = sys.argv[1], (sys.argv[2:] or [None])[0]
    PATH = os.path.abspath(os.path.join(OUT, "checkpoint.pt"))
    torch.manual_seed(1 if RESUME is None else 77)
    random.seed(1 if RESUME is None else 77)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 1))

    def save(**state):
        state |= {"model": model.state_dict(), "rng": torch.get_rng_state(),
                  "python": random.getstate()}
        torch.save(state, PATH)

    def load():
        state = torch.load(RESUME, weights_only=False)
        model.load_state_dict(state["model"])
        torch.set_rng_state(state["rng"])
        random.setstate(state["python"])
        return state

    def loss_of():
        return model(torch.randn(8, 4)).square().mean()
"""

FORKS_AND_CLOSES = """
    def train():
        optimizer, step = torch.optim.AdamW(model.parameters(), lr=0.01), 0
        if RESUME:
            state = load()
            optimizer.load_state_dict(state["optimizer"])
            step = state["step"]
        while step < 6:
            child = os.fork()
            if child == 0:  # trains something of its own, and ends past all handlers
                other = nn.Linear(2, 1)
                own = torch.optim.SGD(other.parameters(), lr=0.1)
                other(torch.randn(3, 2)).sum().backward()
                own.step()
                os._exit(0)
            os.waitpid(child, 0)
            os.closerange(3, 200)
            os.chdir("/")
            own_file = open("/dev/null", "w")  # has the number of one that was closed
            optimizer.zero_grad()
            loss_of().backward()
            optimizer.step()
            step += 1
            if step == 3:
                save(step=step, optimizer=optimizer.state_dict())
        os._exit(0)

    train()
"""


def test_forks_closed_descriptors_and_a_sudden_end(trainers):
    trainers.audit(trainers.script(TRAINER + FORKS_AND_CLOSES)).assert_same()


STARTS = """
    def train():
        how, kind = os.environ["HOW"], os.environ["KIND"]
        if kind == "sgd":
            optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        else:
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        step = 0
        torch.manual_seed(2)
        if RESUME and how == "earlier":
            RESUME_FROM = RESUME.replace("checkpoint.pt", "checkpoint-2.pt")
            state = torch.load(RESUME_FROM, weights_only=False)
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            torch.set_rng_state(state["rng"])
            step = state["step"]
        while step < 6:
            optimizer.zero_grad()
            loss_of().backward()
            optimizer.step()
            step += 1
            if step in (2, 3):
                save(step=step, optimizer=optimizer.state_dict())
            if step == 2:
                os.replace(PATH, PATH.replace("checkpoint.pt", "checkpoint-2.pt"))

    torch.manual_seed(1)
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    train()
"""


@pytest.mark.parametrize(
    ("how", "kind", "start"),
    [("scratch", "sgd", 0), ("earlier", "sgd", 2), ("earlier", "adamw", 2)],
)
def test_a_resumed_run_that_starts_from_another_step(how, kind, start, trainers, monkeypatch):
    monkeypatch.setenv("HOW", how)
    monkeypatch.setenv("KIND", kind)
    audit = trainers.audit(trainers.script(TRAINER + STARTS))
    assert (audit.code, audit.report) == (2, {}), audit.report
    assert audit.error.count("\n") == 1
    assert f"resumed leg: starts from step {start}, the checkpoint is of step 3" in audit.error
