"""Checkpoints that the installed frameworks write now, against what they themselves load."""

import shutil
from pathlib import Path

import pytest
import torch
from leaves import diff_code, flip_bit, inspect, verify_code, wrong_leaves
from training import Net, trained


def load(file: Path):
    if file.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(file)
    return torch.load(file, map_location="cpu", weights_only=False)


def check_files(samestep: str, folder: Path, names: list[str]) -> dict:
    """Each file's leaves, verify, and a diff with a copy, whole and damaged."""
    report = inspect(samestep, folder)
    for name in names:
        assert wrong_leaves(report, load(folder / name), name) == [], name
    assert verify_code(samestep, folder) == 0
    copy = folder.parent / (folder.name + "-copy")
    shutil.copytree(folder, copy)
    assert diff_code(samestep, folder, copy) == 0
    return report


def check_one_bit(
    samestep: str, folder: Path, file: str, tensor: torch.Tensor, has_checksum: bool
) -> None:
    copy = folder.parent / (folder.name + "-copy")
    flip_bit(copy / file, tensor.detach().contiguous().numpy().tobytes())
    assert diff_code(samestep, folder, copy) == 1
    assert verify_code(samestep, copy) == (1 if has_checksum else 0)


def components(report: dict) -> set[str]:
    return {field["path"].split("/")[0] for field in report["fields"]}


def test_torch_save(samestep, tmp_path):
    model, optimizer, schedule = trained()
    folder = tmp_path / "run"
    folder.mkdir()
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "lr_scheduler": schedule.state_dict(),
        "rng": torch.get_rng_state(),
        "step": 3,
    }
    torch.save(state, folder / "checkpoint.pt")
    report = check_files(samestep, folder, ["checkpoint.pt"])
    assert report["step"] == 3
    assert {"model", "optimizer", "lr_scheduler", "rng", "loop"} <= components(report)
    check_one_bit(samestep, folder, "checkpoint.pt", model.first.weight, has_checksum=True)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("zipped", [True, False])
def test_torch_save_protocols(samestep, tmp_path, protocol, zipped):
    folder = tmp_path / "run"
    folder.mkdir()
    model, optimizer, _ = trained()
    torch.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
        folder / "checkpoint.pt",
        pickle_protocol=protocol,
        _use_new_zipfile_serialization=zipped,
    )
    check_files(samestep, folder, ["checkpoint.pt"])


def test_distributed_checkpoint(samestep, tmp_path):
    import torch.distributed.checkpoint as dcp

    model, optimizer, schedule = trained()
    from torch.distributed.checkpoint.state_dict import get_state_dict

    model_state, optimizer_state = get_state_dict(model, optimizer)
    state = {
        "app": {"model": model_state, "optimizer": optimizer_state},
        "lr_scheduler": schedule.state_dict(),
        "train_state": {"step": 3},
    }
    folder = tmp_path / "step-3"
    dcp.save(state, checkpoint_id=str(folder))
    report = inspect(samestep, folder)
    assert report["format"] == "DCP"
    assert wrong_leaves(report, state) == []
    assert verify_code(samestep, folder) == 0
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    flip_bit(copy / "__0_0.distcp", model.first.weight.detach().numpy().tobytes())
    assert verify_code(samestep, copy) == 1
    assert diff_code(samestep, folder, copy) == 1


def test_safetensors(samestep, tmp_path):
    save_file = pytest.importorskip("safetensors.torch").save_file
    folder = tmp_path / "run"
    folder.mkdir()
    model, _, _ = trained()
    save_file(model.state_dict(), folder / "model.safetensors", metadata={"format": "pt"})
    check_files(samestep, folder, ["model.safetensors"])
    check_one_bit(samestep, folder, "model.safetensors", model.first.weight, has_checksum=False)


@pytest.mark.parametrize("optimizer", ["adamw_torch", "adafactor", "sgd"])
def test_hf_trainer(samestep, tmp_path, optimizer):
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(vocab_size=64, n_positions=16, n_embd=16, n_layer=1, n_head=2)
    model = transformers.GPT2LMHeadModel(config)
    data = [
        {"input_ids": torch.randint(0, 64, (16,)), "labels": torch.randint(0, 64, (16,))}
        for _ in range(16)
    ]
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path),
        max_steps=3,
        save_steps=3,
        optim=optimizer,
        per_device_train_batch_size=4,
        report_to=[],
        logging_steps=1,
        use_cpu=True,
        disable_tqdm=True,
    )
    transformers.Trainer(model=model, args=arguments, train_dataset=data).train()
    folder = tmp_path / "checkpoint-3"
    report = check_files(
        samestep, folder, ["model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth"]
    )
    assert report["format"] == "HF Trainer folder"
    assert report["step"] == 3
    assert {"model", "optimizer", "lr_scheduler", "rng", "loop"} <= components(report)
    (folder / "scheduler.pt").unlink()
    assert verify_code(samestep, folder) == 1


def test_accelerate(samestep, tmp_path):
    accelerate = pytest.importorskip("accelerate")
    model, optimizer, schedule = trained()
    accelerator = accelerate.Accelerator(cpu=True)
    model, optimizer, schedule = accelerator.prepare(model, optimizer, schedule)
    folder = tmp_path / "state"
    accelerator.save_state(str(folder))
    report = check_files(
        samestep,
        folder,
        ["model.safetensors", "optimizer.bin", "scheduler.bin", "random_states_0.pkl"],
    )
    assert report["format"] == "accelerate folder"
    assert {"model", "optimizer", "lr_scheduler", "rng"} <= components(report)
    (folder / "random_states_0.pkl").unlink()
    assert verify_code(samestep, folder) == 1


def test_lightning(samestep, tmp_path):
    lightning = pytest.importorskip("lightning")

    class Module(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = Net()

        def training_step(self, batch, _):
            return self.net(batch[0]).square().mean()

        def configure_optimizers(self):
            optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
            return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2)]

    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.randn(32, 12)), batch_size=4
    )
    trainer = lightning.Trainer(
        max_steps=3,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        default_root_dir=str(tmp_path),
    )
    trainer.fit(Module(), loader)
    folder = tmp_path / "run"
    folder.mkdir()
    trainer.save_checkpoint(folder / "last.ckpt")
    report = check_files(samestep, folder, ["last.ckpt"])
    assert report["step"] == 3
    assert {"model", "optimizer", "lr_scheduler", "loop"} <= components(report)
