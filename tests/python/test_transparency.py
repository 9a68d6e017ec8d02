"""The recorder changes nothing: a trainer ends in the same bytes with it and without."""

import pytest

DROPOUT_AND_SHUFFLE = """
    import os, random, sys
    import numpy as np
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Data(Dataset):
        def __len__(self):
            return 48
        def __getitem__(self, i):
            noise = torch.rand(6) + random.random() + float(np.random.rand())
            return torch.full((6,), float(i)) + noise

    torch.manual_seed(3); random.seed(3); np.random.seed(3)
    model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Dropout(0.3), nn.Linear(16, 1))
    optimizer = torch.optim.NAdam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    loader = DataLoader(Data(), 8, shuffle=True, num_workers=int(sys.argv[2]))
    for epoch in range(2):
        for batch in loader:
            loss = model(batch).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(), "torch": torch.get_rng_state(),
                "python": random.getstate(), "numpy": np.random.get_state()},
               os.path.join(sys.argv[1], "final.pt"))
"""

HF_TRAINER = """
    import os, sys, torch
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 24
        def __getitem__(self, i):
            ids = torch.arange(i, i + 8) % 32
            return {"input_ids": ids, "labels": ids}

    torch.manual_seed(0)
    config = GPT2Config(vocab_size=32, n_positions=8, n_embd=16, n_layer=1, n_head=2,
                        bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(config)
    arguments = TrainingArguments(output_dir=sys.argv[1], max_steps=8, use_cpu=True, report_to=[],
                                  per_device_train_batch_size=4, save_strategy="no",
                                  disable_tqdm=True, dataloader_num_workers=int(sys.argv[2]))
    trainer = Trainer(model=model, args=arguments, train_dataset=Data())
    trainer.train()
    torch.save({"model": model.state_dict(), "optimizer": trainer.optimizer.state_dict(),
                "torch": torch.get_rng_state()}, os.path.join(sys.argv[1], "final.pt"))
"""


def same_bytes(source, target):
    import torch

    def equal(a, b):
        if isinstance(a, torch.Tensor):
            return a.dtype == b.dtype and torch.equal(a, b)
        if isinstance(a, dict):
            return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
        if isinstance(a, (list, tuple)):
            return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
        return bool((a == b).all()) if hasattr(a, "all") else a == b

    load = lambda leg: torch.load(leg.out / "final.pt", weights_only=False)
    return equal(load(source), load(target))


@pytest.mark.parametrize("workers", ["0", "2"])
def test_dropout_shuffle_and_augmenting_workers(workers, trainers):
    script = trainers.script(DROPOUT_AND_SHUFFLE)
    bare = trainers.bare(script, workers)
    leg = trainers.record(script, workers, stop=False, at=3, steps=4)
    assert len(leg.begins) > 4 and leg.events("recorder_error") == []
    assert same_bytes(bare, leg)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_stock_trainer_of_transformers(workers, trainers):
    pytest.importorskip("transformers", reason="the stock Trainer needs transformers")
    script = trainers.script(HF_TRAINER)
    bare = trainers.bare(script, workers)
    leg = trainers.record(script, workers, stop=False, at=3, steps=4)
    assert len(leg.begins) > 4 and leg.events("recorder_error") == []
    assert same_bytes(bare, leg)


# One step of everything that keeps state beside the parameters, compiled, over windows of two.
COMPILED_SCALED_AVERAGED = """
    import os, random, sys
    import torch
    from torch import nn
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    torch.manual_seed(3)
    torch.set_num_threads(1)
    plain = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.3), nn.Linear(16, 1))
    model = torch.compile(plain, backend="aot_eager") if sys.argv[2] == "compiled" else plain
    average = AveragedModel(plain, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.AdamW(plain.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=2)
    noise = torch.Generator().manual_seed(4)
    for micro in range(16):
        x = torch.randn(8, 6, generator=noise)
        if micro == 9:
            x[0, 0] = float("inf")  # the scaler skips this step
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(x).square().mean()
        scaler.scale(loss / 2).backward()
        if micro % 2 == 1:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            scheduler.step()
            average.update_parameters(plain)
        if micro == 7:
            torch.save(plain.state_dict(), os.path.join(sys.argv[1], "checkpoint.pt"))
    torch.save({"model": plain.state_dict(), "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(), "scaler": scaler.state_dict(),
                "average": average.state_dict(), "noise": noise.get_state(),
                "torch": torch.get_rng_state(), "python": len(random.getstate())},
               os.path.join(sys.argv[1], "final.pt"))
"""


@pytest.mark.parametrize("how", ["eager", "compiled"])
def test_scaler_average_schedule_windows_and_compilation(how, trainers):
    script = trainers.script(COMPILED_SCALED_AVERAGED)
    bare = trainers.bare(script, how)
    leg = trainers.record(script, how, stop=False, at=4, steps=3, checkpoint="checkpoint.pt")
    assert {"ema/0.weight", "grad_scaler/scale", "lr_scheduler/last_epoch"} <= leg.capture.keys()
    assert len(leg.begins) > 4 and leg.events("recorder_error") == []
    assert same_bytes(bare, leg)
