"""Small gray images are classified by three layers, as in the quickstart of PyTorch."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


class _Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear_relu_stack(self.flatten(x))


def _train(setting: Setting) -> None:
    garments = torch.rand(8, 1, 12, 12)
    labels = torch.randint(0, 8, (2000,))
    images = (garments[labels] + 0.3 * torch.randn(2000, 1, 12, 12)).clamp(0, 1)
    train = DataLoader(TensorDataset(images[:1600], labels[:1600]), batch_size=64, shuffle=True)
    test = DataLoader(TensorDataset(images[1600:], labels[1600:]), batch_size=64)
    model = _Network()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for _ in range(14):
            model.train()
            for x, y in train:
                loss = loss_fn(model(x), y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            model.eval()
            correct = 0
            with torch.no_grad():
                for x, y in test:
                    correct += int((model(x).argmax(1) == y).sum())
            print("accuracy", correct / 400)


PROGRAM = Program(name="garments-by-mlp", train=_train, source="PyTorch tutorials: quickstart")
