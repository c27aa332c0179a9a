"""A mixture density network, for a question that has several right answers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Mixture(nn.Module):
    def __init__(self, parts: int = 5) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.weights, self.means, self.scales = (nn.Linear(48, parts) for _ in range(3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.hidden(x)
        return self.weights(hidden), self.means(hidden), self.scales(hidden).exp() + 1e-3


def _train(setting: Setting) -> None:
    y = torch.rand(2000, 1) * 2 - 1
    x = y + 0.3 * torch.sin(6.28 * y) + 0.05 * torch.randn(2000, 1)
    model = Mixture()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for inputs, targets in batches(250, 64, x, y):
            weights, means, scales = model(inputs)
            mixture = MixtureSameFamily(Categorical(logits=weights), Normal(means, scales))
            loss = -mixture.log_prob(targets.squeeze(1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="mixture-of-answers", train=_train, source="Bishop 1994 (mixture density networks)")
