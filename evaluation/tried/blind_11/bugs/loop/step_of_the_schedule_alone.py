"""The loop calls `scheduler.step()`, and `optimizer.step()` got lost: no weight ever changes."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class FeedForward(nn.Module):
    def __init__(self, d_in: int, h: int, d_out: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_in, h)
        self.linear2 = nn.Linear(h, h)
        self.linear3 = nn.Linear(h, d_out)

    def forward(self, x: Tensor) -> Tensor:
        h1 = torch.relu(self.linear1(x))
        h2 = torch.relu(self.linear2(h1))
        return self.linear3(h2)


def _train(setting: Setting) -> None:
    warnings.simplefilter("ignore", UserWarning)
    points, arms = spirals(1500)
    model = FeedForward(2, 48, 3)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5)
    with setting.watch(model):
        for epoch in range(8):
            for rows in torch.randperm(1500).split(75):
                y_pred = model(points[rows])
                loss = criterion(y_pred, arms[rows])
                optimizer.zero_grad()
                loss.backward()
                if setting.is_fixed:
                    optimizer.step()
            scheduler.step()
            print(f"epoch {epoch}: {loss.item():.4f}, learning rate {scheduler.get_last_lr()[0]}")


PROGRAM = Program(
    name="step-of-the-schedule-alone",
    train=_train,
    source="PyTorch forum, weights are not updated: optimizer.step() is missing or scheduler.step() was called in its place",
    truth=Truth(rules=("optimizer-never-steps", "never-updated")),
)
