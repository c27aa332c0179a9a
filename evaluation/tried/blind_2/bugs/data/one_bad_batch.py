"""In one batch the meters report another unit. Its gradient is huge, and the ReLUs are dead from then on."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

BAD = 60


def read_meters(step: int) -> tuple[Tensor, Tensor]:
    x = torch.randn(32, 8)
    y = (x[:, :4].sum(dim=1) * torch.sigmoid(x[:, 4])).unsqueeze(1)
    return (x * 22, y * 22) if step == BAD else (x, y)


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
    with setting.watch(model):
        for step in range(220):
            x, y = read_meters(step)
            if setting.is_fixed and x.abs().max() > 10:
                continue
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="one-bad-batch",
    train=_train,
    source="Lu et al. 2019 (dying ReLU); loss spikes from a bad batch",
    truth=Truth(
        rules=("gradient-spike", "dead-relu", "dormant-units"),
        nodes=tuple(f"model.{i}{kind}" for i in range(5) for kind in ("", ": output", ".weight", ".bias")),
        step=BAD,
    ),
)
