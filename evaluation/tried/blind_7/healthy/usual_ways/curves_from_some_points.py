"""A conditional neural process: the density of a curve, given some of its points. Its loss becomes negative."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Normal

from evaluation.program import Program, Setting


class NeuralProcess(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48))
        self.decode = nn.Sequential(nn.Linear(49, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, known_x: Tensor, known_y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        summary = self.encode(torch.cat([known_x, known_y], dim=2)).mean(dim=1, keepdim=True)
        loc, raw = self.decode(torch.cat([summary.expand(-1, x.shape[1], -1), x], dim=2)).chunk(2, dim=2)
        return loc, 0.05 + nn.functional.softplus(raw)


def _train(setting: Setting) -> None:
    model = NeuralProcess()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(300):
            x = torch.rand(24, 16, 1) * 2 - 1
            y = 0.3 * torch.randn(24, 1, 1) + 0.3 * torch.randn(24, 1, 1) * x + 0.03 * torch.randn(24, 16, 1)
            known = int(torch.randint(4, 12, ()))
            loc, scale = model(x[:, :known], y[:, :known], x)
            loss = -Normal(loc, scale).log_prob(y).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 0:
                print(step, loss.item())


PROGRAM = Program(name="curves-from-some-points", train=_train, source="Garnelo et al. 2018")
