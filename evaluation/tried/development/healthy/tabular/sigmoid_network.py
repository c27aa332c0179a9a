"""A shallow network of sigmoids, as in the first textbooks, on four classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden1 = nn.Linear(10, 40)
        self.hidden2 = nn.Linear(40, 20)
        self.output = nn.Linear(20, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.sigmoid(self.hidden1(x))
        x = torch.sigmoid(self.hidden2(x))
        return self.output(x)


def _train(setting: Setting) -> None:
    centers = torch.randn(4, 10)
    classes = torch.randint(4, (2000,))
    x = centers[classes] + 0.9 * torch.randn(2000, 10)
    x = (x - x.mean(0)) / x.std(0)
    model = _Network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    with setting.watch(model):
        for _ in range(20):
            for index in torch.randperm(2000).split(40):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x[index]), classes[index])
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="sigmoid-network", train=_train, source="Nielsen 2015, chapter 1")
