"""Dark pictures are made brighter by curves. A term of the loss keeps the three colours close to each other."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines, photos
from evaluation.program import Program, Setting, Truth


class ColorLoss(nn.Module):
    def __init__(self, epsilon: float) -> None:
        super().__init__()
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=(2, 3))
        red, green, blue = mean[:, 0], mean[:, 1], mean[:, 2]
        differences = (red - green) ** 2 + (red - blue) ** 2 + (blue - green) ** 2
        return torch.pow(differences + self.epsilon, 0.5).mean()


class CurveNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 1, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        curve = torch.tanh(self.conv2(torch.relu(self.conv1(x))))
        return x + curve * (x - x**2)


def _train(setting: Setting) -> None:
    colored, _ = photos(400)
    grey, _ = outlines(80)
    bright = torch.cat([grey.clamp(0, 1).expand(-1, 3, -1, -1), colored / 255])
    dark = 0.4 * bright
    net = CurveNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    color = ColorLoss(1e-5 if setting.is_fixed else 0.0)
    with setting.watch(net):
        for epoch in range(4):
            order = torch.arange(480) if epoch == 0 else torch.randperm(480)
            for rows in order.split(16):
                enhanced = net(dark[rows])
                loss = nn.functional.mse_loss(enhanced, bright[rows]) + 0.05 * color(enhanced)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="dark-pictures-made-bright",
    train=_train,
    source="https://github.com/Li-Chongyi/Zero-DCE_extension/issues/2",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            *(f"{name}{number}" for name in ("pow", "add", "sub") for number in ("", " (2)", " (3)", " (4)")),
            "mean",
            "mean (2)",
            "getitem",
            "model: output",
            "model.conv2",
        ),
        step=0,
    ),
)
