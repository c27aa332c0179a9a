"""A network that knows eight angles learns four new ones: its body is frozen, and only the new head is trained."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Vision(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 5, padding=2, stride=2),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, stride=2),
            nn.BatchNorm2d(32),
            nn.ReLU(),
        )
        self.head = nn.Linear(32 * 16, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).flatten(1))


def pretrained() -> Vision:
    images, angles = gratings(800, angles=8)
    net = Vision(8)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for _ in range(4):
        for rows in torch.randperm(800).split(40):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(images[rows]), angles[rows]).backward()
            optimizer.step()
    return net


def _train(setting: Setting) -> None:
    net = pretrained()
    for parameter in net.parameters():
        parameter.requires_grad = False
    net.head = nn.Linear(32 * 16, 4)
    images, angles = gratings(900)
    optimizer = torch.optim.Adam(net.head.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(5):
            net.body.eval()
            net.head.train()
            for rows in torch.randperm(700).split(35):
                loss = nn.functional.cross_entropy(net(images[rows]), angles[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                accuracy = (net(images[700:]).argmax(1) == angles[700:]).float().mean().item()
            print(f"epoch {epoch}: {loss.item():.4f}, accuracy {accuracy:.3f}")


PROGRAM = Program(
    name="new-angles-on-a-frozen-body", train=_train, source="PyTorch tutorials, transfer learning with a fixed feature extractor"
)
