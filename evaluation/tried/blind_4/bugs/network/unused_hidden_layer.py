"""The second line of forward takes x instead of the hidden values, so a layer has no effect on the output."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


class _Concrete(nn.Module):
    def __init__(self, uses_both: bool) -> None:
        super().__init__()
        self.fc1 = nn.Linear(8, 8)
        self.fc2 = nn.Linear(8, 32)
        self.fc3 = nn.Linear(32, 1)
        self.uses_both = uses_both

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.fc1(x))
        out = F.relu(self.fc2(h if self.uses_both else x))
        return self.fc3(out)


def _train(setting: Setting) -> None:
    mixtures = torch.rand(1200, 8)
    strength = (3 * mixtures[:, :1] - 2 * mixtures[:, 1:2] ** 2 + torch.relu(mixtures[:, 2:3] - 0.5)).sub(0.9)
    model = _Concrete(uses_both=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1200).split(30):
                loss = F.mse_loss(model(mixtures[index]), strength[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("loss", loss.item(), "fc1 has a gradient:", model.fc1.weight.grad is not None)


PROGRAM = Program(
    name="unused-hidden-layer",
    train=_train,
    source="StackOverflow: wrong variable in forward; Humbatova et al. 2020, model: wrong layer connections",
    truth=Truth(rules=("no-gradient", "branch-without-effect", "never-updated", "cut-path"), nodes=("model.fc1",)),
)
