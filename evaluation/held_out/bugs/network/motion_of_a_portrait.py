"""A portrait is rebuilt from a code of its motion. Layers as in another generator map the features to the code."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class EqualLinear(nn.Module):
    def __init__(self, inputs: int, outputs: int, activation: bool = False) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.activation = nn.LeakyReLU(0.2) if activation else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.linear(x))


class Animator(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.net_app = nn.Sequential(nn.Linear(256, 96), nn.LeakyReLU(0.2))
        self.fc = nn.Sequential(*(EqualLinear(96, 96, activation=is_fixed) for _ in range(4)), EqualLinear(96, 2))

    def forward(self, image: Tensor) -> Tensor:
        return self.fc(self.net_app(image.flatten(1)))


def _train(setting: Setting) -> None:
    data = shapes(1500)
    model = Animator(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.mse_loss(model(data.images[rows]), data.centers[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="motion-of-a-portrait",
    train=_train,
    source="https://github.com/wyhsirius/LIA/issues/4",
    truth=Truth(rules=("linear-after-linear",), nodes=("model.fc",)),
)
