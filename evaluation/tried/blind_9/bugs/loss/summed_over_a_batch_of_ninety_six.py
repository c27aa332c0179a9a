"""The loss is summed over 96 samples, with a rate that was meant for their mean."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Arms(nn.Module):
    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, width), nn.Linear(width, width), nn.Linear(width, width)])
        self.out = nn.Linear(width, 3)

    def forward(self, points: Tensor) -> Tensor:
        for layer in self.layers:
            points = torch.tanh(layer(points))
        return self.out(points)


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    model = Arms()
    loss_function = nn.CrossEntropyLoss(reduction="mean" if setting.is_fixed else "sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.15, momentum=0.9)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randperm(len(points))[:96]
            loss = loss_function(model(points[rows]), arms[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                with torch.no_grad():
                    print(f"{step}: accuracy {(model(points).argmax(1) == arms).float().mean().item():.2f}")


PROGRAM = Program(
    name="summed-over-a-batch-of-ninety-six",
    train=_train,
    source="Humbatova et al. 2020, wrong loss function calculation; PyTorch forum on reduction='sum'",
    truth=Truth(
        rules=("summed-loss", "updates-too-large", "oscillating-loss", "loss-does-not-fall", "saturated-units", "exploding-gradient"),
        nodes=(
            "cross_entropy",
            "model.layers.0",
            "model.layers.1",
            "model.layers.2",
            "model.out",
            "model.layers.1: input",
            "model.layers.2: input",
            "model.out: input",
        ),
    ),
)
