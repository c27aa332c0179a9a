"""`Adam(parameters, rate, betas, 0.1)`: the fourth argument is epsilon, and not the weight decay. Steps become tiny."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class Dynamics(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 2))

    def forward(self, state: Tensor) -> Tensor:
        return self.net(state)


def _train(setting: Setting) -> None:
    states = pendulums(120, 14)
    now, change = states[:, :-1].flatten(0, 1), (states[:, 1:] - states[:, :-1]).flatten(0, 1)
    change = change / change.std(dim=0)
    model = Dynamics()
    betas = (0.9, 0.999)
    if setting.is_fixed:
        optimizer = torch.optim.Adam(model.parameters(), 1e-3, betas, weight_decay=1e-4)
    else:
        optimizer = torch.optim.Adam(model.parameters(), 1e-3, betas, 1e-1)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(len(now)).split(60):
                loss = nn.functional.mse_loss(model(now[rows]), change[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="decay-in-the-place-of-epsilon",
    train=_train,
    source="Islam et al. 2019, arguments in the wrong place; Humbatova et al. 2020, wrong settings of the optimizer",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
