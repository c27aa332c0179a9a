"""The solution of a course: a perceptron with dropout, and a look at the validation set after every epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(144, 96)
        self.fc2 = nn.Linear(96, 96)
        self.fc3 = nn.Linear(96, 6)
        self.dropout = nn.Dropout(0.3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.dropout(torch.relu(self.fc1(x.flatten(1))))
        x = self.dropout(torch.relu(self.fc2(x)))
        return self.fc3(x)


def _train(setting: Setting) -> None:
    images, labels = digits(1800)
    model = Net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(1500).split(30):
                optimizer.zero_grad()
                loss = criterion(model(images[rows]), labels[rows])
                loss.backward()
                optimizer.step()
            if setting.is_fixed:
                model.eval()
            with torch.no_grad():
                valid_loss = criterion(model(images[1500:]), labels[1500:])
            print(f"Epoch {epoch}: training {loss.item():.4f}, validation {valid_loss.item():.4f}")


PROGRAM = Program(
    name="digits-from-a-course",
    train=_train,
    source="https://github.com/udacity/deep-learning-v2-pytorch/issues/3",
    truth=Truth(rules=("evaluation-in-training-mode",)),
)
