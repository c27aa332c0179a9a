"""Biases of hidden convolutions begin at -4, a value that was meant for the output of a detector. Their ReLUs return zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class SmallDetector(nn.Module):
    def __init__(self, prior: float) -> None:
        super().__init__()
        self.conv1, self.relu1 = nn.Conv2d(1, 12, 3), nn.ReLU()
        self.conv2, self.relu2 = nn.Conv2d(12, 12, 3, stride=2), nn.ReLU()
        self.head = nn.Linear(12 * 16, 6)
        nn.init.constant_(self.conv2.bias, prior)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> Tensor:
        x = self.relu1(self.conv1(x))
        x = self.relu2(self.conv2(x))
        return self.head(x.flatten(1))


def _train(setting: Setting) -> None:
    data = DataLoader(TensorDataset(*digits(1000)), batch_size=40, shuffle=True)
    net = SmallDetector(0.0 if setting.is_fixed else -4.0)
    sgd = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for _ in range(8):
            for x, y in data:
                loss = nn.functional.cross_entropy(net(x), y)
                sgd.zero_grad()
                loss.backward()
                sgd.step()
            print(f"{loss.item():.3f}")


PROGRAM = Program(
    name="biases-of-minus-four",
    train=_train,
    source="Lin et al. 2017 (the prior of a focal loss) put into the wrong layer; AUTOTRAINER, dying ReLU",
    truth=Truth(
        rules=("dead-relu", "same-for-all-samples", "zero-gradient", "predictions-ignore-input"),
        nodes=(
            "model.relu2",
            "model.relu2: output",
            "model.conv2",
            "model.conv2: output",
            "model.conv2.bias",
            "model.conv2.weight",
            "model.head: input",
        ),
    ),
)
