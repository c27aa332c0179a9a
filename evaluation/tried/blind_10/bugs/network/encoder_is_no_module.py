"""The class of the encoder does not inherit from `nn.Module`, so its layers belong to nothing and no optimizer has them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Encoder:
    def __init__(self) -> None:
        self.conv1 = nn.Conv2d(1, 12, 3, stride=2)
        self.conv2 = nn.Conv2d(12, 16, 3)

    def layers(self) -> list[nn.Module]:
        return [self.conv1, self.conv2]

    def encode(self, image: Tensor) -> Tensor:
        return torch.relu(self.conv2(torch.relu(self.conv1(image)))).flatten(1)


class Reader(nn.Module):
    def __init__(self, register: bool) -> None:
        super().__init__()
        self.encoder = Encoder()
        if register:
            self.of_the_encoder = nn.ModuleList(self.encoder.layers())
        self.classify = nn.Sequential(nn.Linear(144, 32), nn.ReLU(), nn.Linear(32, 6))

    def forward(self, image: Tensor) -> Tensor:
        return self.classify(self.encoder.encode(image))


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    model = Reader(register=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(1200, (32,))
            loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="encoder-is-no-module",
    train=_train,
    source="Common mistake: a part of a network whose class is no nn.Module",
    truth=Truth(
        rules=("unregistered-modules", "not-in-optimizer", "never-updated"),
        nodes=("model", "model.classify", "model.classify: input", "model.classify.0: input"),
    ),
)
