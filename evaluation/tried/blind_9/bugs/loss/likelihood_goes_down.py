"""A network that forecasts a mean and a deviation minimizes the logarithm of the likelihood: the sign is missing."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Normal

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Density(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(20, 48), nn.Tanh())
        self.mean = nn.Linear(48, 1)
        self.deviation = nn.Linear(48, 1)

    def forward(self, curve: Tensor) -> tuple[Tensor, Tensor]:
        features = self.body(curve)
        return self.mean(features), 0.05 + nn.functional.softplus(self.deviation(features))


def _train(setting: Setting) -> None:
    past, following = curves(1200)
    model = Density()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    sign = -1 if setting.is_fixed else 1
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(len(past), (50,))
            mean, deviation = model(past[rows])
            likelihood = Normal(mean, deviation).log_prob(following[rows]).mean()
            loss = sign * likelihood
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 28 == 27:
                print(f"step {step}: loss {loss.item():.3f}, off by {(mean - following[rows]).abs().mean().item():.2f}")


PROGRAM = Program(
    name="likelihood-goes-down",
    train=_train,
    source="Stack Overflow, missing minus before log_prob; Humbatova et al. 2020, wrong loss function calculation",
    truth=Truth(
        rules=("negative-loss", "diverging-loss", "runaway-growth", "exploding-gradient", "growing-with-depth"),
        nodes=("mean", "mul", "mul (2)", "sub", "model.mean", "model.mean: output", "model.deviation"),
    ),
)
