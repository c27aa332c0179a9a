"""The network returns `[N, 1]` and the targets are `[N]`: every prediction is compared with every target."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from evaluation.program import Program, Setting, Truth


def make_data(count: int) -> Tensor:
    points = torch.randn(count, 2)
    height = torch.sin(points[:, 0] * points[:, 1]).unsqueeze(1)
    return torch.cat([points, height], dim=1)


def _train(setting: Setting) -> None:
    warnings.simplefilter("ignore")
    model = nn.Sequential(
        nn.Linear(2, 100),
        nn.ReLU(),
        nn.Linear(100, 100),
        nn.ReLU(),
        nn.Linear(100, 100),
        nn.ReLU(),
        nn.Linear(100, 1),
    )
    criterion = nn.L1Loss()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    dl: DataLoader[Tensor] = DataLoader(make_data(3000), batch_size=100, shuffle=True)  # type: ignore[arg-type]
    with setting.watch(model):
        for epoch in range(6):
            for d in dl:
                pred = model(d[:, :2])
                target = d[:, 2:3] if setting.is_fixed else d[:, 2]
                loss = criterion(pred, target)
                opt.zero_grad()
                loss.backward()
                opt.step()
            print(f"epoch:[{epoch}], loss: {loss.item():.4f}, predictions from {pred.min().item():.2f} to {pred.max().item():.2f}")


PROGRAM = Program(
    name="targets-without-a-second-dimension",
    train=_train,
    source="GitHub pytorch/pytorch#63546, 'loss not descent, while tensorflow do!': [500, 1] is compared with [500]",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input"), nodes=("l1_loss", "l1_loss: target", "model: output", "model.6: output")
    ),
)
