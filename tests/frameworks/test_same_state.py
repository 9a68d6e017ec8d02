"""The same training state, written by each framework: the same paths, the same bytes."""

import json
import subprocess

import pytest
import torch
from leaves import inspect
from training import Net

STEPS = 3
MODEL_AND_OPTIMIZER = ("model/", "optimizer/state/")


def trained(module: torch.nn.Module):
    torch.manual_seed(5)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
    for _ in range(STEPS):
        optimizer.zero_grad()
        module(torch.randn(8, 12)).square().mean().backward()
        optimizer.step()
        schedule.step()
    return optimizer, schedule


def network(kind: type) -> torch.nn.Module:
    torch.manual_seed(1)
    return kind()


def plain(folder):
    model = network(Net)
    optimizer, schedule = trained(model)
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "lr_scheduler": schedule.state_dict(),
        "global_step": STEPS,
    }
    torch.save(state, folder / "state.pt")


def compiled_and_parallel(folder):
    model = network(Net)
    optimizer, schedule = trained(model)
    wrapped = {f"_orig_mod.module.{name}": tensor for name, tensor in model.state_dict().items()}
    torch.save(wrapped, folder / "weights.bin")
    torch.save(optimizer.state_dict(), folder / "optimizer.bin")
    torch.save(schedule.state_dict(), folder / "scheduler.bin")


def legacy(folder):
    model = network(Net)
    optimizer, schedule = trained(model)
    state = {
        "net": model.state_dict(),
        "opt": optimizer.state_dict(),
        "sched": schedule.state_dict(),
    }
    torch.save(state, folder / "old.pth", _use_new_zipfile_serialization=False)


def distributed(folder):
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_state_dict

    model = network(Net)
    optimizer, schedule = trained(model)
    model_state, optimizer_state = get_state_dict(model, optimizer)
    app = {"model": model_state, "optimizer": optimizer_state}
    dcp.save({"app": app, "lr_scheduler": schedule.state_dict()}, checkpoint_id=str(folder / "d"))


def accelerate(folder):
    from accelerate import Accelerator

    model = network(Net)
    optimizer, schedule = trained(model)
    accelerator = Accelerator(cpu=True)
    accelerator.prepare(model, optimizer, schedule)
    accelerator.save_state(str(folder), safe_serialization=False)


def lightning(folder):
    import lightning as pl

    class Module(Net, pl.LightningModule):
        def configure_optimizers(self):
            return [optimizer], [schedule]

        def training_step(self, batch, _):
            return self(batch).square().mean()

    model = network(Module)
    optimizer, schedule = trained(model)
    quiet = {"enable_progress_bar": False, "enable_model_summary": False, "logger": False}
    trainer = pl.Trainer(
        accelerator="cpu",
        max_epochs=0,
        enable_checkpointing=False,
        default_root_dir=folder,
        **quiet,
    )
    trainer.fit(model, torch.utils.data.DataLoader(torch.randn(4, 12)))
    trainer.save_checkpoint(folder / "last.ckpt")


WRITERS = [compiled_and_parallel, legacy, distributed, accelerate, lightning]


def named_bytes(report: dict) -> dict:
    return {
        field["path"]: field["digest"]["sha256"]
        for field in report["fields"]
        if field["path"].startswith(MODEL_AND_OPTIMIZER) and field["kind"] == "tensor"
    }


def schedule_paths(report: dict) -> set[str]:
    return {f["path"] for f in report["fields"] if f["path"].startswith("lr_scheduler/")}


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_the_same_state_has_the_same_paths_and_bytes(samestep, tmp_path, write):
    if write in (accelerate, lightning):
        pytest.importorskip(write.__name__)
    reports = []
    for writer in (plain, write):
        folder = tmp_path / writer.__name__
        folder.mkdir()
        writer(folder)
        reports.append(inspect(samestep, folder))
    expected, found = (named_bytes(report) for report in reports)
    parameters = [name for name, _ in network(Net).named_parameters()]
    slots = ("step", "exp_avg", "exp_avg_sq")
    assert {f"optimizer/state/{name}/{slot}" for name in parameters for slot in slots} <= set(
        expected
    )
    assert found == expected
    assert schedule_paths(reports[1]) == schedule_paths(reports[0]) != set()
    assert reports[1]["step"] == STEPS
    done = subprocess.run(
        [samestep, "diff", "--json", tmp_path / "plain", tmp_path / write.__name__],
        capture_output=True,
        text=True,
    )
    findings = json.loads(done.stdout)["findings"]
    told = [finding["field"] for finding in findings if finding["grade"] == "confirmed"]
    assert not [field for field in told if field.startswith(MODEL_AND_OPTIMIZER)]
