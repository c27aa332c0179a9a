"""The network ends with a softmax, and the loss computes another one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import tunes
from evaluation.program import Program, Setting, Truth


class ActivityNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(1, 16, 7)
        self.conv2 = nn.Conv1d(16, 32, 5)
        self.fc1 = nn.Linear(32 * 6, 64)
        self.fc2 = nn.Linear(64, 4)
        self.is_probable = True

    def forward(self, x: Tensor) -> Tensor:
        out = nn.functional.max_pool1d(torch.relu(self.conv1(x)), 2)
        out = nn.functional.max_pool1d(torch.relu(self.conv2(out)), 2)
        out = self.fc2(torch.relu(self.fc1(out.flatten(1))))
        return nn.functional.softmax(out, dim=1) if self.is_probable else out


def _train(setting: Setting) -> None:
    signals, activities = tunes(900)
    model = ActivityNetwork()
    model.is_probable = not setting.is_fixed
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(900).split(30):
                output = model(signals[rows, None])
                loss = criterion(output, activities[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="activities-through-two-softmaxes",
    train=_train,
    source="https://github.com/jindongwang/Deep-learning-activity-recognition/issues/10",
    truth=Truth(
        rules=("softmax-before-cross-entropy",), nodes=("model", "model.fc2", "cross_entropy", "cross_entropy: target", "model: output")
    ),
)
