"""A variational autoencoder of binary pictures, with the sum of cross entropy and divergence per sample as its loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting


class _VAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(100, 64)
        self.mean = nn.Linear(64, 5)
        self.log_variance = nn.Linear(64, 5)
        self.fc3 = nn.Linear(5, 64)
        self.fc4 = nn.Linear(64, 100)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = F.relu(self.fc1(x.flatten(1)))
        mean, log_variance = self.mean(h), self.log_variance(h)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.fc4(F.relu(self.fc3(code))), mean, log_variance


def _train(setting: Setting) -> None:
    grid = torch.arange(10.0)
    slope, offset = torch.rand(2, 1200, 1, 1)
    pictures = ((grid[:, None] - (slope - 0.5) * 2 * (grid[None] - 5) - 9 * offset).abs() < 1.2).float()
    model = _VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1200).split(32):
                batch = pictures[index]
                output, mean, log_variance = model(batch)
                error = F.binary_cross_entropy_with_logits(output, batch.flatten(1), reduction="sum")
                divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum()
                loss = (error + divergence) / len(batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print("loss", loss.item())


PROGRAM = Program(name="vae-of-strokes", train=_train, source="pytorch/examples: vae")
