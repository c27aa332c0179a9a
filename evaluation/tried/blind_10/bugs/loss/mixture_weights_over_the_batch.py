"""The weights of a mixture density network come from a log-softmax over the batch instead of over the mixture."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Mixture(nn.Module):
    def __init__(self, components: int, dim: int) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.weight = nn.Linear(48, components)
        self.mean = nn.Linear(48, components)
        self.log_scale = nn.Linear(48, components)
        self.dim = dim

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.hidden(x)
        return self.weight(h).log_softmax(dim=self.dim), self.mean(h), self.log_scale(h).clamp(-4, 2)


def negative_log_likelihood(log_weight: Tensor, mean: Tensor, log_scale: Tensor, y: Tensor) -> Tensor:
    log_density = -0.5 * ((y - mean) / log_scale.exp()) ** 2 - log_scale - 0.5 * math.log(2 * math.pi)
    return -(log_weight + log_density).logsumexp(dim=1).mean()


def _train(setting: Setting) -> None:
    y = 3 * torch.rand(2000, 1) - 1.5
    x = y + 0.7 * torch.sin(4 * y) + 0.1 * torch.randn(2000, 1)
    model = Mixture(4, dim=1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(2000, (100,))
            log_weight, mean, log_scale = model(x[rows])
            loss = negative_log_likelihood(log_weight, mean, log_scale, y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="mixture-weights-over-the-batch",
    train=_train,
    source="GitHub issues on world models, log_softmax of mixture weights over the wrong dimension",
    truth=Truth(
        rules=("softmax-over-batch",),
        nodes=("model", "model: output[0]", "model.weight", "model.weight: output", "log_softmax"),
    ),
)
