"""Coordinates of joints are read from pictures. The regularization is as strong as in a solver file."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class JointNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 16, 3, stride=2, padding=1)
        self.fc1 = nn.Linear(256, 64)
        self.fc2 = nn.Linear(64, 2)

    def forward(self, image: Tensor) -> Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(image))))
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def _train(setting: Setting) -> None:
    data = shapes(1200)
    model = JointNet()
    decay = 5e-4 if setting.is_fixed else 0.5
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=decay)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.mse_loss(model(data.images[rows]), data.centers[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="joints-of-a-body",
    train=_train,
    source="https://github.com/BVLC/caffe/issues/1396",
    truth=Truth(
        rules=("weights-collapse", "same-for-all-samples", "predictions-ignore-input", "vanishing-gradient", "loss-does-not-fall"),
        nodes=("model.conv1", "model.conv2", "model.fc1", "model.fc2", "model: output"),
    ),
)
