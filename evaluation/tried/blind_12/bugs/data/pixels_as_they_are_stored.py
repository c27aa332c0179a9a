"""The pictures keep their bytes from 0 to 255 where the network expects values around 0 to 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class LivenessNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(32, 32, 3, stride=2, padding=1)
        self.fc = nn.Linear(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        x = torch.relu(self.conv3(x))
        return self.fc(x.mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    pixels, labels = photos(800)
    images = (pixels - pixels.mean()) / pixels.std() if setting.is_fixed else pixels
    net = LivenessNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for epoch in range(5):
            for batch in torch.randperm(800).split(32):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(images[batch]), labels[batch])
                loss.backward()
                optimizer.step()
            print(f"{epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="pixels-as-they-are-stored",
    train=_train,
    source="https://github.com/minivision-ai/Silent-Face-Anti-Spoofing/issues/72",
    truth=Truth(
        rules=(
            "input-not-normalized",
            "initial-loss",
            "exploding-gradient",
            "updates-too-large",
            "dead-relu",
            "loss-does-not-fall",
            "predictions-ignore-input",
        ),
        nodes=("model: input x",),
    ),
)
