"""The line that gives scales of normalizations a mean of one was copied for convolutions. Each layer adds up all that it sees."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Finder(nn.Module):
    """Where a shape is."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(12, 16, 3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(16, 16, 3, stride=2, padding=1)
        self.out = nn.Linear(64, 2)

    def forward(self, image: Tensor) -> Tensor:
        x = image
        for conv in (self.conv1, self.conv2, self.conv3):
            x = nn.functional.leaky_relu(conv(x), 0.2)
        return self.out(x.flatten(1))


def _train(setting: Setting) -> None:
    data = shapes(1000)
    mean = 0.0 if setting.is_fixed else 1.0

    def init(module: nn.Module) -> None:
        if isinstance(module, nn.Conv2d):
            nn.init.normal_(module.weight, mean, 0.1)

    net = Finder()
    net.apply(init)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for step in range(140):
            rows = torch.randint(1000, (32,))
            loss = nn.functional.mse_loss(net(data.images[rows]), data.centers[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.4g}")


PROGRAM = Program(
    name="mean-of-one-for-convolutions",
    train=_train,
    source="Radford et al. 2016, weights_init of DCGAN with the figures of its two branches mixed up",
    truth=Truth(
        rules=(
            "growing-with-depth",
            "initial-loss",
            "exploding-gradient",
            "rank-collapse",
            "oscillating-loss",
            "predictions-ignore-input",
            "near-overflow",
        ),
        nodes=(
            "mse_loss",
            "model: output",
            *(f"model.{layer}{part}" for layer in ("conv1", "conv2", "conv3", "out") for part in ("", ".weight", ": output", ": input")),
        ),
    ),
)
