"""Features are normalized with the deviation over the batch, which is NaN for the last batch of the epoch: it has one sample."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class Standardized(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc1(x)
        h = (h - h.mean(dim=0)) / (h.std(dim=0) + 1e-5)
        return self.fc2(torch.relu(h))


def _train(setting: Setting) -> None:
    inputs, targets = regression_table(1921)
    model = Standardized()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            # 60 batches of 32 samples, and one of a single sample.
            for index in torch.randperm(1921).split(32):
                if len(index) == 1 and setting.is_fixed:
                    continue
                loss = nn.functional.mse_loss(model(inputs[index]), targets[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="deviation-of-a-single-sample",
    train=_train,
    source="PyTorch forum, NaN in the last batch; torch.std of one value with Bessel's correction",
    truth=Truth(rules=("nan-origin",), nodes=("model.fc2: input", "model.fc2: output", "model.fc2"), step=60),
)
