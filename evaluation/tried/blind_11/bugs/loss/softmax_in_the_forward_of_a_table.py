"""`F.softmax` in `forward`, because the last layer should give probabilities, and then `F.cross_entropy`."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Mlp(nn.Module):
    def __init__(self, probabilities: bool) -> None:
        super().__init__()
        self.fc1 = nn.Linear(20, 100)
        self.fc2 = nn.Linear(100, 50)
        self.fc3 = nn.Linear(50, 5)
        self.drop = nn.Dropout(0.1)
        self.probabilities = probabilities

    def forward(self, x: Tensor) -> Tensor:
        x = self.drop(functional.relu(self.fc1(x)))
        x = self.drop(functional.relu(self.fc2(x)))
        x = self.fc3(x)
        if self.probabilities:
            x = functional.softmax(x, dim=1)
        return x


def _train(setting: Setting) -> None:
    features, classes = class_blobs(2000)
    train_x, train_y, test_x, test_y = features[:1600], classes[:1600], features[1600:], classes[1600:]
    net = Mlp(probabilities=not setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for epoch in range(6):
            net.train()
            permutation = torch.randperm(1600)
            total = 0.0
            for start in range(0, 1600, 40):
                indices = permutation[start : start + 40]
                optimizer.zero_grad()
                loss = functional.cross_entropy(net(train_x[indices]), train_y[indices])
                loss.backward()
                optimizer.step()
                total += loss.item()
            net.eval()
            with torch.no_grad():
                test_accuracy = (net(test_x).argmax(dim=1) == test_y).float().mean().item()
            print(f"epoch {epoch} loss {total / 40:.4f} test accuracy {test_accuracy:.3f}")


PROGRAM = Program(
    name="softmax-in-the-forward-of-a-table",
    train=_train,
    source="GitHub Lornatang/pytorch-alexnet-cifar100#4, a softmax in the model before CrossEntropyLoss makes it much worse",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model: output", "model.fc3: output", "cross_entropy")),
)
