"""A small trained state: a model with a buffer, AdamW, a schedule."""

import torch


class Net(torch.nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.first = torch.nn.Linear(12, width)
        self.norm = torch.nn.BatchNorm1d(width)
        self.drop = torch.nn.Dropout(0.1)
        self.last = torch.nn.Linear(width, 4)

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return self.last(self.drop(self.norm(torch.relu(self.first(batch)))))


def trained(steps: int = 3, seed: int = 5):
    torch.manual_seed(seed)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(8, 12)).square().mean().backward()
        optimizer.step()
        schedule.step()
    return model, optimizer, schedule
