"""Train a small convolutional network, record which pixels reach which features, and write report.html.

The task: is the bright spot of a noisy picture in its left half (0) or in its right half (1)?
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

import comgra_export

SIZE = 12
STEPS = 120


def draw(count: int) -> tuple[Tensor, Tensor]:
    """Return pictures `[B, 1, SIZE, SIZE]`, and the half in which the spot of each is, `[B]`."""
    pictures = torch.rand(count, 1, SIZE, SIZE) / 2
    rows, columns = torch.randint(SIZE - 2, (2, count))
    for picture, row, column in zip(pictures, rows, columns, strict=True):
        picture[0, row : row + 3, column : column + 3] += 1
    return pictures, (columns + 1 >= SIZE // 2).long()


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(4, 6, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(6 * 3 * 3, 2),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with comgra_export.watch(model, "recordings", values=True, every=40, existing_trial="replace") as recorder:
        for _ in range(STEPS):
            pictures, halves = draw(16)
            loss = nn.functional.cross_entropy(model(pictures), halves)
            # From the picture to the first features and on to the second ones. This does nothing on steps that are not recorded.
            recorder.record_gradient_flow(loss, ["model: input", "model.1: output", "model.3: output"], samples=[0, 1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    comgra_export.export("recordings", "report.html", title="Which pixels reach which features?", force=True)


if __name__ == "__main__":
    main()
