"""The model is tested in training mode: dropout is on and batch norm learns from the test data. Two tests differ."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class DropNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(20, 128)
        self.bn = nn.BatchNorm1d(128)
        self.fc2 = nn.Linear(128, 64)
        self.dropout = nn.Dropout(0.5)
        self.fc3 = nn.Linear(64, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.dropout(torch.relu(self.bn(self.fc1(x))))
        x = self.dropout(torch.relu(self.fc2(x)))
        return self.fc3(x)


def test(model: nn.Module, loader: DataLoader[tuple[Tensor, ...]]) -> float:
    correct, total = 0, 0
    with torch.no_grad():
        for data, target in loader:
            correct += int((model(data).argmax(dim=1) == target).sum())
            total += len(target)
    return 100 * correct / total


def _train(setting: Setting) -> None:
    x, y = class_blobs(2400)
    train_loader = DataLoader(TensorDataset(x[:2000], y[:2000]), batch_size=50, shuffle=True)
    test_loader = DataLoader(TensorDataset(x[2000:], y[2000:]), batch_size=20)
    model = DropNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for data, target in train_loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(data), target)
                loss.backward()
                optimizer.step()
            model.train(not setting.is_fixed)
            first, second = test(model, test_loader), test(model, test_loader)
            print(f"Epoch {epoch}: loss {loss.item():.3f}, test accuracy {first:.1f}%, and again {second:.1f}%")


PROGRAM = Program(
    name="tested-with-dropout-on",
    train=_train,
    source="GitHub yanx27/GACNet#8, 'Why is model.eval not used in the test part', and PyTorch forum, other results for the same input",
    truth=Truth(
        rules=("evaluation-in-training-mode", "evaluation-changes-buffers"),
        nodes=("model", "model.dropout", "model.bn", "model.bn.running_mean"),
    ),
)
