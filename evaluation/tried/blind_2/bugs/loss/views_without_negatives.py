"""Two views of a sample are pulled together without a stop-gradient or negatives: all codes become the same."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Views(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 32))
        self.is_fixed = is_fixed

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        a, b = F.normalize(self.encoder(first), dim=1), F.normalize(self.encoder(second), dim=1)
        loss = 2 - 2 * (a * b).sum(dim=1).mean()
        if self.is_fixed:
            # Spread the codes over the sphere (Wang and Isola 2020).
            loss = loss + torch.pdist(a).square().mul(-2).exp().mean().log() + 4
        return loss


def _train(setting: Setting) -> None:
    images, _ = digits(1000)
    images = images - images.mean()
    model = Views(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(250):
            batch = images[torch.randint(1000, (48,))]
            first = batch + 0.2 * torch.randn_like(batch)
            second = batch.roll(1, dims=3) + 0.2 * torch.randn_like(batch)
            loss = model(first, second)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(step, f"{loss.item():.4f}")


PROGRAM = Program(
    name="views-without-negatives",
    train=_train,
    source="Chen and He 2021 (SimSiam), collapse without a stop-gradient",
    truth=Truth(
        rules=("same-for-all-samples",),
        nodes=("model.encoder: output", "model.encoder.3: output", "model.encoder.2: output", "model.encoder.3", "model.encoder"),
    ),
)
