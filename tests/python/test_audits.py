"""Audits from end to end of trainers that are hard to record: what is sound comes out `same`."""

import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "python/examples"

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


PLACES = """
    import asyncio, collections, dataclasses, functools, io, threading, types

    class Lion(torch.optim.Optimizer):
        def __init__(self, parameters, lr):
            super().__init__(parameters, dict(lr=lr))
        @torch.no_grad()
        def step(self, closure):
            with torch.enable_grad():
                loss = closure()
            for group in self.param_groups:
                for parameter in group["params"]:
                    slot = self.state[parameter].setdefault("slow", torch.zeros_like(parameter))
                    slot.mul_(0.9).add_(parameter.grad, alpha=0.1)
                    parameter.sub_(slot.sign(), alpha=group["lr"])
            return loss

    @dataclasses.dataclass
    class Progress:
        step: int = 0
        average: float = 0.0

    Bag = collections.namedtuple("Bag", "models optimizers progress")
    elsewhere = sys.modules["elsewhere"] = types.ModuleType("elsewhere")
    elsewhere.bag = Bag({"first": [model]}, [Lion(model.parameters(), lr=0.01)], Progress())

    def write(content, step):
        folder = os.path.join(OUT, f"step-{step}")
        os.makedirs(folder)
        with open(os.path.join(folder, "checkpoint.pt.tmp"), "wb") as file:
            file.write(content)
        os.replace(file.name, file.name.removesuffix(".tmp"))
        os.symlink(f"step-{step}", os.path.join(OUT, "latest"))

    def steps(bag, at):
        def closure():
            bag.optimizers[0].zero_grad()
            loss = loss_of()
            loss.backward()
            return loss
        while True:
            loss = bag.optimizers[0].step(closure)
            bag.progress.step += 1
            bag.progress.average = 0.9 * bag.progress.average + 0.1 * loss.item()
            if bag.progress.step == at:
                content = io.BytesIO()
                torch.save({"model": model.state_dict(), "rng": torch.get_rng_state(),
                            "python": random.getstate(), "progress": vars(bag.progress),
                            "optimizer": bag.optimizers[0].state_dict()}, content)
                writer = threading.Thread(target=write, args=(content.getvalue(), at))
                writer.start()
            yield bag.progress.step

    async def train(total, at):
        if RESUME:
            state = load()
            elsewhere.bag.optimizers[0].load_state_dict(state["optimizer"])
            vars(elsewhere.bag.progress).update(state["progress"])
        for step in steps(elsewhere.bag, at):
            await asyncio.sleep(0)
            if step == total:
                break

    class Runner:
        def run(self, total, at):
            asyncio.run(train(total, at))

    thread = threading.Thread(target=functools.partial(Runner().run, 6, at=3))
    thread.start()
    thread.join()
"""


def test_a_training_in_unusual_places(trainers):
    """Its own optimizer and a closure, in a coroutine of a thread, a writer thread, a link."""
    script = trainers.script(TRAINER + PLACES)
    trainers.audit(
        script, checkpoint="step-3", resume=("{checkpoint}/checkpoint.pt",)
    ).assert_same()


STREAMS = """
    from torch.utils.data import DataLoader, IterableDataset, Sampler, TensorDataset

    class Numbers(IterableDataset):
        start = 0
        def __iter__(self):
            for number in range(self.start, 400):
                yield torch.full((4,), number / 100)

    class Shuffled(Sampler):
        epoch = start = 0
        def set_epoch(self, epoch):
            self.epoch = epoch
        def __len__(self):
            return 16
        def __iter__(self):
            order = torch.randperm(16, generator=torch.Generator().manual_seed(self.epoch)).tolist()
            start, self.start = self.start, 0
            yield from order[start:]

    def train():
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=3)
        numbers, order = Numbers(), Shuffled()
        data = TensorDataset(torch.randn(16, 4, generator=torch.Generator().manual_seed(3)))
        micro = epoch = done = 0
        state = load() if RESUME else None
        if state:
            optimizer.load_state_dict(state["optimizer"])
            scaler.load_state_dict(state["scaler"])
            micro, epoch, done = state["micro"], state["epoch"], state["done"]
            numbers.start, order.start = micro * 2, done * 4
        more = iter(DataLoader(numbers, 2, num_workers=1))
        loader = DataLoader(data, 4, sampler=order)
        while True:
            order.set_epoch(epoch)
            batches = iter(loader)
            if state:
                torch.set_rng_state(state["rng"])
                state = None
            for (x,) in batches:
                y = next(more)
                if micro in (5, 11):
                    x = x * float("inf")  # the scaler skips the step
                scaler.scale((model(x).square().mean() + model(y).mean()) / 2).backward()
                micro, done = micro + 1, done + 1
                if micro % 2 == 0:
                    scaler.step(optimizer)
                    scaler.update()
                    optimizer.zero_grad()
                if micro == 6:
                    save(optimizer=optimizer.state_dict(), scaler=scaler.state_dict(),
                         micro=micro, epoch=epoch, done=done)
                if micro == 16:
                    return
            epoch, done = epoch + 1, 0

    if __name__ == "__main__":
        train()
"""


def test_streams_windows_and_skipped_steps(trainers):
    """Two loaders, one with a worker, over the end of an epoch; a scaler that skips steps."""
    trainers.audit(trainers.script(TRAINER + STREAMS), at=3, steps=4).assert_same()


def test_the_stock_trainer_of_transformers_with_its_defaults(trainers):
    pytest.importorskip("transformers", reason="the stock Trainer needs transformers")
    fresh = [sys.executable, str(EXAMPLES / "hf_trainer.py"), "--out", "{out}"]
    options = ["--checkpoint", "checkpoint-4", "--at", "4"]
    trainers.audit_command(options, fresh, [*fresh, "--resume", "{checkpoint}"]).assert_same()


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
