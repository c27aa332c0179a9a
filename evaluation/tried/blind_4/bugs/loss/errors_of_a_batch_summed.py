"""The loss sums the squared errors of a batch of 200, so its gradient is hundreds of times as large as the rate expects."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    engines = torch.randn(4000, 14)
    power = torch.tanh(engines[:, :1] * engines[:, 1:2]) + 0.5 * engines[:, 2:3] + 0.1 * torch.randn(4000, 1)
    loader = DataLoader(TensorDataset(engines, power), batch_size=200, shuffle=True)
    model = nn.Sequential(nn.Linear(14, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 1))
    criterion = nn.MSELoss(reduction="mean" if setting.is_fixed else "sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(18):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="errors-of-a-batch-summed",
    train=_train,
    source="PyTorch forum: reduction='sum' and the learning rate; Islam et al. 2019, wrong loss settings",
    truth=Truth(
        rules=(
            "summed-loss", "diverging-loss", "nan-origin", "exploding-gradient", "updates-too-large", "runaway-growth", "dead-relu",
            "predictions-ignore-input", "loss-does-not-fall", "near-overflow", "gradient-spike", "initial-loss", "dormant-units",
        )
    ),
)  # fmt: skip
