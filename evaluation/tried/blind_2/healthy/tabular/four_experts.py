"""A mixture of experts with the two best of four, and a loss that balances them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Experts(nn.Module):
    def __init__(self, inputs: int, count: int) -> None:
        super().__init__()
        self.gate = nn.Linear(inputs, count)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(inputs, 24), nn.ReLU(), nn.Linear(24, 1)) for _ in range(count))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        probabilities = self.gate(x).softmax(dim=1)
        best, places = probabilities.topk(2, dim=1)
        weights = torch.zeros_like(probabilities).scatter(1, places, best / best.sum(dim=1, keepdim=True))
        answers = torch.cat([expert(x) for expert in self.experts], dim=1)
        used = (weights > 0).float().mean(dim=0)
        balance = len(self.experts) * (used * probabilities.mean(dim=0)).sum() / 2
        return (weights * answers).sum(dim=1), balance


def _train(setting: Setting) -> None:
    x = torch.randn(2000, 6)
    region = (x[:, 0] > 0).long() * 2 + (x[:, 1] > 0).long()
    slopes = torch.randn(4, 4)
    y = (x[:, 2:] * slopes[region]).sum(dim=1) + 0.1 * torch.randn(2000)
    y = y / y.std()
    model = Experts(6, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for step, (inputs, targets) in enumerate(batches(400, 50, x, y)):
            prediction, balance = model(inputs)
            loss = nn.functional.mse_loss(prediction, targets) + 0.02 * balance
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                print(step, loss.item(), balance.item())


PROGRAM = Program(name="four-experts", train=_train, source="Shazeer et al. 2017 (sparsely gated mixture of experts)")
