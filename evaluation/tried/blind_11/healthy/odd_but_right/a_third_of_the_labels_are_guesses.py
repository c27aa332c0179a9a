"""A third of the labels are random. The loss stays high, and the network is right about clean data."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 24, 3, padding=1)
        self.fc = nn.Linear(24 * 9, 6)
        self.drop = nn.Dropout(0.3)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc(self.drop(x.flatten(1)))


def _train(setting: Setting) -> None:
    images, labels = digits(1900)
    images = (images - 0.4) / 0.35
    noisy = torch.where(torch.rand(1500) < 0.33, torch.randint(6, (1500,)), labels[:1500])
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
    with setting.watch(net):
        for epoch in range(6):
            net.train()
            total = 0.0
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.cross_entropy(net(images[rows]), noisy[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() / 30
            net.eval()
            with torch.no_grad():
                clean = (net(images[1500:]).argmax(1) == labels[1500:]).float().mean().item()
            print(f"epoch {epoch}: loss {total:.4f}, accuracy on clean data {clean:.3f}")


PROGRAM = Program(
    name="a-third-of-the-labels-are-guesses", train=_train, source="Rolnick et al. 2017, deep learning is robust to massive label noise"
)
