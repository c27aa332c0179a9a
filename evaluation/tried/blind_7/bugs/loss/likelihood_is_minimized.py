"""A mixture of densities is trained on its log likelihood, with the minus left out."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

from evaluation.program import Program, Setting, Truth


class MixtureDensity(nn.Module):
    def __init__(self, parts: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh())
        self.weight, self.loc, self.log_scale = nn.Linear(40, parts), nn.Linear(40, parts), nn.Linear(40, parts)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.trunk(x)
        return self.weight(h), self.loc(h), self.log_scale(h).clamp(-4, 4)


def _train(setting: Setting) -> None:
    model = MixtureDensity(3)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    sign = -1 if setting.is_fixed else 1
    with setting.watch(model):
        for _ in range(220):
            x = torch.rand(64, 1) * 4 - 2
            y = torch.where(torch.rand(64) < 0.5, 1.0, -1.0) * (1 + x[:, 0].sin()) + 0.1 * torch.randn(64)
            weight, loc, log_scale = model(x)
            mixture = MixtureSameFamily(Categorical(logits=weight), Normal(loc, log_scale.exp()))
            loss = sign * mixture.log_prob(y).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="likelihood-is-minimized",
    train=_train,
    source="Humbatova et al. 2020, loss: wrong calculation; Stack Overflow, sign of the log likelihood",
    truth=Truth(
        rules=("negative-loss", "runaway-growth", "diverging-loss", "exploding-gradient", "logit-growth", "updates-too-large"),
        nodes=(
            "mul",
            "mean",
            "logsumexp",
            "model: output[0]",
            "model: output[1]",
            "model: output[2]",
            *(f"model.{head}{part}" for head in ("loc", "log_scale", "weight") for part in ("", ": output")),
        ),
    ),
)
