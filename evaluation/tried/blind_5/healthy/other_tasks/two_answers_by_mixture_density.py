"""A mixture of three normal distributions describes a curve that has two answers for each question."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Mixture(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.share = nn.Linear(48, 3)
        self.mean = nn.Linear(48, 3)
        self.log_width = nn.Linear(48, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        code = self.body(x)
        return self.share(code), self.mean(code), self.log_width(code).clamp(-5, 3)


def _train(setting: Setting) -> None:
    x = 2 * torch.rand(2500, 1) - 1
    side = torch.where(torch.rand(2500, 1) < 0.5, -1.0, 1.0)
    y = side * (0.8 + 0.5 * torch.sin(3 * x)) + 0.1 * torch.randn(2500, 1)
    model = _Mixture()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(7):
            for chosen in torch.randperm(2500).split(50):
                share, mean, log_width = model(x[chosen])
                density = torch.distributions.Normal(mean, log_width.exp()).log_prob(y[chosen])
                loss = -torch.logsumexp(share.log_softmax(1) + density, dim=1).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(name="two-answers-by-mixture-density", train=_train, source="Bishop 1994: mixture density networks")
