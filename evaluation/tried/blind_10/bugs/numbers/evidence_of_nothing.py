"""A classifier predicts evidence by a ReLU, and forgets to add one. Without evidence, the gamma function is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Evidence(nn.Module):
    def __init__(self, prior: float) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 3))
        self.prior = prior

    def forward(self, points: Tensor) -> Tensor:
        """The concentrations of a Dirichlet distribution."""
        return torch.relu(self.net(points)) + self.prior


def evidential_loss(alpha: Tensor, labels: Tensor) -> Tensor:
    chosen = alpha.gather(1, labels[:, None]).squeeze(1)
    return (torch.digamma(alpha.sum(dim=1)) - torch.digamma(chosen)).mean()


def _train(setting: Setting) -> None:
    points, arms = spirals(2000)
    model = Evidence(1.0 if setting.is_fixed else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randint(2000, (64,))
            loss = evidential_loss(model(points[rows]), arms[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="evidence-of-nothing",
    train=_train,
    source="Sensoy et al. 2018, evidential deep learning, without alpha = evidence + 1",
    truth=Truth(rules=("nan-origin",), nodes=("digamma", "digamma (2)", "sub", "mean"), step=0),
)
