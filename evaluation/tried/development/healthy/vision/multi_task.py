"""Two heads on one trunk: the class and the center of a shape, with summed losses."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 4 * 4, 64)
        self.what = nn.Linear(64, 4)
        self.where = nn.Linear(64, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.relu(self.fc(x.flatten(1)))
        return self.what(x), self.where(x)


def _train(setting: Setting) -> None:
    data = shapes(2048)
    model = _TwoHeads()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(11):
            for index in torch.randperm(2048).split(32):
                what, where = model(data.images[index])
                loss = nn.functional.cross_entropy(what, data.classes[index]) + nn.functional.mse_loss(where, data.centers[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="multi-task", train=_train, source="Caruana 1997: hard parameter sharing")
