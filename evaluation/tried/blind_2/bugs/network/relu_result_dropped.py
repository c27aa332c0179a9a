"""`torch.relu(x)` is called, but its result is not kept: the network is linear."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Heron(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.fc1 = nn.Linear(3, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 1)
        self.is_fixed = is_fixed

    def forward(self, sides: Tensor) -> Tensor:
        x = self.fc1(sides)
        if self.is_fixed:
            x = torch.relu(x)
        else:
            torch.relu(x)
        x = self.fc2(x)
        if self.is_fixed:
            x = torch.relu(x)
        else:
            torch.relu(x)
        return self.fc3(x)


def _train(setting: Setting) -> None:
    # Areas of triangles from the lengths of their sides.
    corners = torch.rand(2400, 3, 2)
    sides = torch.stack([(corners[:, i] - corners[:, (i + 1) % 3]).norm(dim=1) for i in range(3)], dim=1)
    half = sides.sum(dim=1) / 2
    area = (half * (half[:, None] - sides).prod(dim=1)).clamp(min=0).sqrt().unsqueeze(1)
    sides = (sides - sides.mean(dim=0)) / sides.std(dim=0)
    area = (area - area.mean()) / area.std()
    model = Heron(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loss_fn = nn.MSELoss()
    with setting.watch(model):
        for x, y in batches(350, 48, sides, area):
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="relu-result-dropped",
    train=_train,
    source="Stack Overflow, F.relu is not in-place; DeepCrime (ARM)",
    truth=Truth(
        rules=("linear-after-linear",),
        nodes=("model.fc1", "model.fc2", "model.fc1: output", "model.fc2: output", "model.fc3", "model.fc3: output"),
    ),
)
