"""NLLLoss gets the probabilities of a softmax instead of their logarithms."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class _Net(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 12, 3)
        self.fc = nn.Linear(12 * 25, 6)
        self.last = nn.LogSoftmax(dim=1) if is_fixed else nn.Softmax(dim=1)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.conv(x)), 2)
        return self.last(self.fc(x.flatten(1)))


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    model = _Net(setting.is_fixed)
    criterion = nn.NLLLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(5):
            for chosen in torch.randperm(1500).split(30):
                optimizer.zero_grad()
                loss = criterion(model(images[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
            print("epoch", epoch, "loss", loss.item())


PROGRAM = Program(
    name="nll-of-plain-softmax",
    train=_train,
    source="PyTorch forum, NLLLoss is negative: softmax instead of log_softmax",
    truth=Truth(rules=("nll-without-log-softmax", "negative-loss"), nodes=("model.last", "model.fc: output", "model.fc", "model: output")),
)
