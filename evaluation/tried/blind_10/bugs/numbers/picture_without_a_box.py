"""The error of boxes is divided by the number of cells with an object. In step 61 no picture has one: zero by zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Cells(nn.Module):
    """For each of 16 cells, whether it has an object, and where."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU())
        self.head = nn.Conv2d(16, 3, 3, padding=1)

    def forward(self, image: Tensor) -> Tensor:
        return self.head(self.body(image)).permute(0, 2, 3, 1)


def detection_loss(cells: Tensor, is_there: Tensor, place: Tensor, at_least: int) -> Tensor:
    loss = nn.functional.binary_cross_entropy_with_logits(cells[..., 0], is_there.float())
    away = (cells[..., 1:] - place).abs().sum(dim=-1) * is_there
    return loss + away.sum() / is_there.sum().clamp(min=at_least)


def _train(setting: Setting) -> None:
    data = shapes(1600)
    cell = ((data.centers + 1) * 2).long().clamp(0, 3)
    images, is_there = data.images.clone(), torch.zeros(1600, 4, 4, dtype=torch.bool)
    is_there[torch.arange(1600), cell[:, 1], cell[:, 0]] = True
    place = data.centers[:, None, None].expand(-1, 4, 4, -1)
    # Some pictures show nothing, among them a whole batch.
    empty = torch.rand(1600) < 0.3
    empty[61 * 16 : 62 * 16] = True
    images[empty] = 0.5 * torch.randn_like(images[empty]) - 0.4
    is_there[empty] = False
    at_least = 1 if setting.is_fixed else 0
    model = Cells()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(100):
            rows = slice(step * 16, step * 16 + 16)
            loss = detection_loss(model(images[rows]), is_there[rows], place[rows], at_least)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="picture-without-a-box",
    train=_train,
    source="GitHub issues on detectors with a NaN loss for batches without objects",
    truth=Truth(rules=("nan-origin",), nodes=("div", "add", "sum", "sum (2)"), step=61),
)
