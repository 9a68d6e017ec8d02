"""Live state under the frameworks that wrap it: the same names as without them."""

import pytest

HEAD = """
    import os, sys, torch
    from torch import nn
    torch.manual_seed(0)
    torch.set_num_threads(1)
"""

LIGHTNING = """
    import lightning as L, logging, warnings
    from torch.utils.data import DataLoader, TensorDataset
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Net(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 2)
        def training_step(self, batch, index):
            return self.layer(batch[0]).square().mean()
        def configure_optimizers(self):
            optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
            return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2)]

    loader = DataLoader(TensorDataset(torch.randn(40, 4)), 4, shuffle=True)
    trainer = L.Trainer(accelerator="cpu", max_steps=6, logger=False, enable_progress_bar=False,
                        enable_checkpointing=False, enable_model_summary=False)
    trainer.fit(Net(), loader)
"""

ACCELERATE = """
    from accelerate import Accelerator
    from torch.utils.data import DataLoader, TensorDataset
    accelerator = Accelerator(cpu=True)
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    loader = DataLoader(TensorDataset(torch.randn(40, 4)), 4, shuffle=True)
    model, optimizer, scheduler, loader = accelerator.prepare(model, optimizer, scheduler, loader)
    for x, in loader:
        accelerator.backward(model(x).square().mean())
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
"""

STATEFUL = """
    from torchdata.stateful_dataloader import StatefulDataLoader
    data = torch.randn(40, 4)
    order = torch.Generator()
    loader = StatefulDataLoader(data, 4, shuffle=True, generator=order)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for x in loader:
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
"""

TWO_RANKS = """
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5)))
    torch.manual_seed(rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(6):
        model(torch.randn(2, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    dist.destroy_process_group()
"""


def test_lightning(trainers):
    pytest.importorskip("lightning", reason="needs lightning")
    leg = trainers.record(trainers.script(HEAD + LIGHTNING))
    assert {
        "model/layer.weight", "optimizer/state/layer.weight/exp_avg", "lr_scheduler/last_epoch",
        "dataloader/next_batch",
    } <= leg.capture.keys()  # fmt: skip
    assert not any(path.startswith(("optimizer.1", "model.1")) for path in leg.capture)
    assert leg.begins[-1] == (4, "begin") and leg.events("recorder_error") == []


def test_accelerate(trainers):
    pytest.importorskip("accelerate", reason="needs accelerate")
    leg = trainers.record(trainers.script(HEAD + ACCELERATE))
    assert {
        "model/0.weight", "optimizer/state/1.bias/exp_avg", "lr_scheduler/last_epoch",
        "dataloader/next_batch",
    } <= leg.capture.keys()  # fmt: skip
    assert not any(path.startswith(("optimizer.1", "lr_scheduler.1")) for path in leg.capture)
    assert leg.begins[-1] == (4, "begin") and leg.events("recorder_error") == []


def test_stateful_loader(trainers):
    pytest.importorskip("torchdata", reason="needs torchdata")
    leg = trainers.record(trainers.script(HEAD + STATEFUL))
    assert {"dataloader/_num_yielded", "rng/generator.order"} <= leg.capture.keys()
    assert leg.events("recorder_error") == []


def test_ranks_of_a_data_parallel_training_are_recorded_each(trainers):
    leg = trainers.record(trainers.script(HEAD + TWO_RANKS), ranks=2)
    assert [rank["rank"] for rank in leg.ranks] == [0, 1]
    first, second = (rank["capture"]["fields"] for rank in leg.ranks)
    assert first.keys() == second.keys()
    same = {path for path in first if first[path]["digest"] == second[path]["digest"]}
    assert "model/0.weight" in same and "optimizer/state/0.weight/exp_avg" in same
    assert "rng/torch.cpu" not in same and "dataloader/next_batch" not in same
    assert all(rank["closed"] for rank in leg.ranks)
