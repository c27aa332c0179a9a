"""The last layer of a network for ten classes ends in a sigmoid, and cross entropy takes what comes out as logits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Net(nn.Module):
    def __init__(self, squash: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 3 * 3, 10)
        self.sigmoid = nn.Sigmoid()
        self.squash = squash

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(self.conv1(x).relu(), 2)
        x = nn.functional.max_pool2d(self.conv2(x).relu(), 2)
        x = self.fc(x.flatten(1))
        return self.sigmoid(x) if self.squash else x


def _train(setting: Setting) -> None:
    shapes = (torch.rand(10, 1, 12, 12) > 0.7).float()
    labels = torch.randint(0, 10, (2000,))
    images = shapes[labels] + 0.5 * torch.randn(2000, 1, 12, 12)
    net = _Net(squash=not setting.is_fixed)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for _ in range(5):
            for chosen in torch.randperm(1600).split(32):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(images[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (net(images[1600:]).argmax(1) == labels[1600:]).float().mean().item())


PROGRAM = Program(
    name="sigmoid-for-ten-shapes",
    train=_train,
    source="Wardat et al. 2021, DeepLocalize: wrong activation of the last layer",
    truth=Truth(rules=("softmax-before-cross-entropy", "loss-does-not-fall", "saturated-units"), nodes=("model.sigmoid", "model.fc")),
)
