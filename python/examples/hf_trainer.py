"""A stock Hugging Face Trainer script: a small GPT-2 with dropout on bytes, two data workers.

All other arguments are the defaults. Nothing of samestep is in it. To audit how it resumes:

    samestep audit --checkpoint checkpoint-4 --at 4 \\
        --resume "python hf_trainer.py --out {out} --resume {checkpoint}" \\
        -- python hf_trainer.py --out {out}
"""

import argparse
from pydoc_data import topics

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

CONTEXT = 64


class Bytes(torch.utils.data.Dataset):
    def __init__(self, text: bytes, count: int) -> None:
        self.text, self.count = torch.tensor(list(text[: count * CONTEXT])), count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        window = self.text[index * CONTEXT : (index + 1) * CONTEXT]
        return {"input_ids": window, "labels": window}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--resume", help="a checkpoint folder")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--save-steps", type=int, default=4)
    options = parser.parse_args()

    text = "\n".join(topics.topics[name] for name in sorted(topics.topics)).encode()
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=256,
            n_positions=CONTEXT,
            n_embd=64,
            n_layer=2,
            n_head=4,
            bos_token_id=0,
            eos_token_id=0,
        )
    )
    arguments = TrainingArguments(
        output_dir=options.out,
        max_steps=options.steps,
        save_steps=options.save_steps,
        dataloader_num_workers=2,
        report_to=[],
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=Bytes(text, 96))
    trainer.train(resume_from_checkpoint=options.resume)


if __name__ == "__main__":
    main()
