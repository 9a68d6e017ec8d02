"""A character-level transformer on the Python language reference that ships with Python.

An ordinary trainer that resumes soundly and knows nothing of samestep: dropout, shuffled batches,
AdamW, a warm-up schedule and an average of the weights. Its checkpoint holds everything that
evolves.

    python char_transformer.py --out DIR [--resume DIR/checkpoint-8.pt]

`--fault step-counter` re-enacts a fault seen in real trainers: after the optimizer has been
restored, a preparation step sets its step counters back to zero, so that the bias correction
starts anew. To audit that (the verdict is `diverged`; without the fault, `same`):

    samestep audit --checkpoint checkpoint-8.pt --at 8 \\
        --resume "python char_transformer.py --out {out} --resume {checkpoint} \\
            --fault step-counter" \\
        -- python char_transformer.py --out {out}
"""

import argparse
import os
import random
from pathlib import Path
from pydoc_data import topics

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, Dataset

CONTEXT, HEADS, BATCH = 64, 4, 16
BATCHES_AN_EPOCH = 12


class Windows(Dataset):
    """Windows of CONTEXT + 1 characters, as numbers of a vocabulary made of the text."""

    def __init__(self, text: str, count: int) -> None:
        self.vocabulary = sorted(set(text))
        number = {character: i for i, character in enumerate(self.vocabulary)}
        self.text = torch.tensor([number[character] for character in text])
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        window = self.text[index * CONTEXT : (index + 1) * CONTEXT + 1]
        return window[:-1], window[1:]


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        wide, narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.mlp = nn.Sequential(wide, nn.GELU(), narrow)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, time, width = x.shape
        split = self.qkv(self.norm1(x)).view(batch, time, 3, HEADS, width // HEADS)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.dropout(self.out(mixed.transpose(1, 2).reshape(batch, time, width)))
        return x + self.dropout(self.mlp(self.norm2(x)))


class CharTransformer(nn.Module):
    def __init__(self, characters: int, width: int, blocks: int) -> None:
        super().__init__()
        self.character, self.place = nn.Embedding(characters, width), nn.Embedding(CONTEXT, width)
        self.dropout = nn.Dropout(0.1)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(blocks)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, characters)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.dropout(self.character(x) + self.place.weight[: x.shape[1]])
        return self.head(self.norm(self.blocks(x)))


class Trainer:
    """The training state, and the loop over it."""

    def __init__(self, seed: int, width: int, blocks: int) -> None:
        random.seed(seed)
        torch.manual_seed(seed)
        self.order = torch.Generator().manual_seed(seed)
        text = "\n".join(topics.topics[name] for name in sorted(topics.topics))
        data = Windows(text, BATCHES_AN_EPOCH * BATCH)
        self.loader = DataLoader(data, BATCH, shuffle=True, drop_last=True, generator=self.order)
        self.model = CharTransformer(len(data.vocabulary), width, blocks)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3, weight_decay=0.1)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, (step + 1) / 10)
        )
        self.average = AveragedModel(self.model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
        self.step, self.batches_done = 0, 0
        self.order_at_epoch_start = self.order.get_state()
        self.random_states: dict | None = None

    def save(self, path: Path) -> None:
        """Writes beside the goal and renames, so that a killed run leaves no half checkpoint."""
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "average": self.average.state_dict(),
            "step": self.step,
            "batches_done": self.batches_done,
            "order_at_epoch_start": self.order_at_epoch_start,
            "rng": {"torch": torch.get_rng_state(), "python": random.getstate()},
        }
        torch.save(state, path.with_suffix(".tmp"))
        os.replace(path.with_suffix(".tmp"), path)

    def restore(self, path: Path) -> None:
        state = torch.load(path, weights_only=False)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.average.load_state_dict(state["average"])
        self.step, self.batches_done = state["step"], state["batches_done"]
        self.order.set_state(state["order_at_epoch_start"])
        self.random_states = state["rng"]

    def forget_step_counters(self) -> None:
        for slots in self.optimizer.state.values():
            slots["step"] = torch.tensor(0.0)

    def epoch(self):
        """The batches of this epoch that are still to be trained on.

        The random states are put back last: making the iterator and skipping batches may draw
        from them.
        """
        self.order_at_epoch_start = self.order.get_state()
        batches = iter(self.loader)
        for _ in range(self.batches_done):
            next(batches)
        if self.random_states is not None:
            torch.set_rng_state(self.random_states["torch"])
            random.setstate(self.random_states["python"])
            self.random_states = None
        return batches

    def train_on(self, x: torch.Tensor, y: torch.Tensor) -> float:
        loss = F.cross_entropy(self.model(x).flatten(0, 1), y.flatten())
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        self.average.update_parameters(self.model)
        self.step += 1
        self.batches_done += 1
        return loss.item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--save-every", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--fault", choices=["step-counter"])
    options = parser.parse_args()

    options.out.mkdir(parents=True, exist_ok=True)
    torch.use_deterministic_algorithms(True)
    trainer = Trainer(options.seed, options.width, options.blocks)
    if options.resume:
        trainer.restore(options.resume)
        if options.fault == "step-counter":
            trainer.forget_step_counters()

    while trainer.step < options.steps:
        for x, y in trainer.epoch():
            loss = trainer.train_on(x, y)
            print(f"step {trainer.step} loss {loss:.6f}", flush=True)
            if trainer.step % options.save_every == 0:
                trainer.save(options.out / f"checkpoint-{trainer.step}.pt")
            if trainer.step == options.steps:
                break
        else:
            trainer.batches_done = 0
    trainer.save(options.out / "final.pt")


if __name__ == "__main__":
    main()
