"""Two tasks share a trunk: the rent of a flat and its kind, weighed by learned uncertainties."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Flats(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 48), nn.ReLU())
        self.rent = nn.Linear(48, 1)
        self.kind = nn.Linear(48, 4)
        self.log_variances = nn.Parameter(torch.zeros(2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        code = self.trunk(x)
        return self.rent(code), self.kind(code)


def _train(setting: Setting) -> None:
    flats = torch.randn(2000, 14)
    rent = torch.tanh(flats[:, :1] + flats[:, 1:2]) + 0.3 * flats[:, 2:3] + 0.2 * torch.randn(2000, 1)
    kind = (flats[:, 2:6] + 0.3 * torch.randn(2000, 4)).argmax(1)
    model = _Flats()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(2000).split(40):
                rents, kinds = model(flats[chosen])
                losses = torch.stack([nn.functional.mse_loss(rents, rent[chosen]), nn.functional.cross_entropy(kinds, kind[chosen])])
                loss = (losses * torch.exp(-model.log_variances) + model.log_variances / 2).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, losses.tolist())


PROGRAM = Program(name="houses-and-their-type", train=_train, source="Kendall et al. 2018: multi-task learning with uncertainty")
