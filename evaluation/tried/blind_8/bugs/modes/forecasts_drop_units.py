"""The forecast that is published comes from a network in training mode: half of its units are left out at random."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Temporal(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.near = nn.Conv1d(1, 24, 3)
        self.far = nn.Conv1d(24, 24, 3, dilation=2)
        self.drop = nn.Dropout(0.4)
        self.out = nn.Linear(24 * 14, 1)

    def forward(self, series: Tensor) -> Tensor:
        h = torch.relu(self.far(torch.relu(self.near(series.transpose(1, 2)))))
        return self.out(self.drop(h.flatten(1)))


def publish(net: nn.Module, past: Tensor, following: Tensor, in_training: bool) -> float:
    net.train(in_training)
    with torch.no_grad():
        error = nn.functional.l1_loss(net(past), following).item()
    net.train()
    return error


def _train(setting: Setting) -> None:
    past, following = curves(1200)
    net = Temporal()
    mode = not setting.is_fixed
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(300, 40, past[:1000], following[:1000])):
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: off by {publish(net, past[1000:], following[1000:], mode):.3f}")


PROGRAM = Program(
    name="forecasts-drop-units",
    train=_train,
    source="Humbatova et al. 2020, missing switch between training and evaluation; PyTorch forum, predictions differ every time",
    truth=Truth(rules=("evaluation-in-training-mode",), nodes=("model", "model.drop", "model.drop: output")),
)
