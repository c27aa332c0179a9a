"""`model.half()` with Adam as it is: its epsilon of 1e-8 is 0 in float16, and 0 / 0 goes into the weights with the first step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(20, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(1200)
    model = Mlp().half()
    inputs = inputs.half()
    eps = 1e-3 if setting.is_fixed else 1e-8
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, eps=eps)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1200).split(40):
                outputs = model(inputs[rows])
                loss = criterion(outputs.float(), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="adam-in-half-precision",
    train=_train,
    source="PyTorch forum, 'Adam + Half Precision = NaNs?', https://discuss.pytorch.org/t/adam-half-precision-nans/1765",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model.fc1.weight", "model.fc2.weight", "model.fc3.weight", "model.fc1", "model.fc2", "model.fc3"),
        step=1,
    ),
)
