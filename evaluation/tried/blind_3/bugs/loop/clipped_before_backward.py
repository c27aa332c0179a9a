"""Gradients are clipped before `backward` has made them, so those of a recurrent network are never clipped."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class Simulator(nn.Module):
    """Continues a movement, and learns from where it ends after 30 steps."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.force = nn.Linear(2, 32), nn.Linear(32, 2)
        nn.init.normal_(self.force.weight, std=0.02)

    def forward(self, state: Tensor) -> Tensor:
        for _ in range(30):
            state = state + self.force(self.hidden(state).relu())
        return state


def _train(setting: Setting) -> None:
    states = pendulums(600, 31)
    model = Simulator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for start, end in batches(150, 30, states[:, 0], states[:, 30]):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(start), end)
            if setting.is_fixed:
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            else:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="clipped-before-backward",
    train=_train,
    source="PyTorch forum, where to call clip_grad_norm_",
    truth=Truth(
        rules=(
            "exploding-gradient",
            "gradient-spike",
            "nan-origin",
            "runaway-growth",
            "updates-too-large",
            "diverging-loss",
            "initial-loss",
        )
    ),
)
