"""A network for sets takes the mean over dimension 0, the batch. Sets happen to be as large as batches, so no shape is wrong."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class DeepSet(nn.Module):
    def __init__(self, pooled: int) -> None:
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.rho = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
        self.pooled = pooled

    def forward(self, sets: Tensor) -> Tensor:
        return self.rho(self.phi(sets).mean(dim=self.pooled)).squeeze(-1)


def _train(setting: Setting) -> None:
    sets = torch.randn(1600, 16, 3) * (0.3 + torch.rand(1600, 1, 1))
    # How widely the points are spread.
    spread = sets.norm(dim=2).mean(dim=1)
    spread = (spread - spread.mean()) / spread.std()
    model = DeepSet(pooled=1 if setting.is_fixed else 0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 16, sets, spread):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="set-pooled-over-the-batch",
    train=_train,
    source="PyTorch forum, mean over the wrong dimension; the network is that of Zaheer et al. 2017",
    truth=Truth(rules=("predictions-ignore-input", "loss-does-not-fall")),
)
