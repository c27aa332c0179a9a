"""The losses of several heads are summed as numbers, and a new tensor of the sum is passed to `backward`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 48), nn.GELU(), nn.Linear(48, 48), nn.GELU())
        self.color = nn.Linear(48, 4)
        self.weight = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(x)
        return self.color(h), self.weight(h).squeeze(1)


def _train(setting: Setting) -> None:
    x = torch.randn(1500, 8)
    colors = (x[:, :4] + 0.3 * torch.randn(1500, 4)).argmax(dim=1)
    weights = x[:, 4] * x[:, 5] + x[:, 6]
    model = Heads()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for step, (inputs, color, weight) in enumerate(batches(250, 32, x, colors, weights)):
            logits, prediction = model(inputs)
            losses = {"color": nn.functional.cross_entropy(logits, color), "weight": nn.functional.mse_loss(prediction, weight)}
            if setting.is_fixed:
                total = losses["color"] + losses["weight"]
            else:
                total = torch.tensor(sum(loss.item() for loss in losses.values()), requires_grad=True)
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
            if step % 50 == 0:
                print(step, {name: round(loss.item(), 3) for name, loss in losses.items()})


PROGRAM = Program(
    name="loss-rebuilt-from-item",
    train=_train,
    source="Stack Overflow, loss wrapped in a new tensor with requires_grad=True",
    truth=Truth(rules=("cut-path", "no-gradient", "never-updated", "loss-does-not-fall", "zero-gradient", "updates-too-small")),
)
