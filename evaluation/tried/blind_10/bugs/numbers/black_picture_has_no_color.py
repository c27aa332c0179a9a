"""Pictures are brightened, and a loss takes the root of how far their colors differ. In step 44 a picture is black: a root of 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Brighten(nn.Module):
    """Curves for the three colors of each picture."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 12, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(12, 12, 3, stride=2, padding=1)
        self.curves = nn.Linear(12, 3)

    def forward(self, picture: Tensor) -> Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(picture))))
        curve = torch.tanh(self.curves(x.mean(dim=(2, 3))))[:, :, None, None]
        for _ in range(4):
            picture = picture + curve * (picture - picture**2)
        return picture


def color_loss(picture: Tensor, eps: float) -> Tensor:
    red, green, blue = picture.mean(dim=(2, 3)).unbind(dim=1)
    differences = (red - green) ** 2 + (red - blue) ** 2 + (green - blue) ** 2
    return torch.sqrt(differences + eps).mean()


def _train(setting: Setting) -> None:
    pictures = 0.3 * torch.rand(1600, 3, 1, 1) * (0.5 + torch.rand(1600, 3, 12, 12))
    pictures[44 * 16 + 5] = 0
    eps = 1e-6 if setting.is_fixed else 0.0
    model = Brighten()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step, picture in enumerate(pictures.split(16)):
            bright = model(picture)
            exposure = (nn.functional.avg_pool2d(bright, 4) - 0.5).abs().mean()
            loss = exposure + 0.5 * color_loss(bright, eps)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="black-picture-has-no-color",
    train=_train,
    source="GitHub issues on color losses with torch.pow(x, 0.5), whose gradient at 0 is infinite",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "sqrt",
            "add",
            *(f"add ({n})" for n in (2, 3, 4)),
            *(f"sub{n}" for n in ("", " (2)", " (3)")),
            *(f"unbind[{n}]" for n in (0, 1, 2)),
            *(f"pow{n}" for n in ("", " (2)", " (3)")),
            "model: output",
            "model.curves: output",
            "model.curves.weight",
            "model.curves.bias",
        ),
        step=44,
    ),
)
