"""The sum of all losses so far goes into `backward`, which `retain_graph=True` allows."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class Scorecard(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.points = nn.Linear(columns, 2)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.points(rows)


def _train(setting: Setting) -> None:
    table, stays = clients(1500)
    rows = torch.cat([table, table[:, :1] * table[:, 1:2], table.abs()], dim=1)
    model = Scorecard(rows.shape[1])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    running_loss: torch.Tensor | float = 0.0
    with setting.watch(model):
        for step, (inputs, labels) in enumerate(batches(250, 32, rows, stays)):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            if setting.is_fixed:
                loss.backward()
                running_loss += loss.item()
            else:
                running_loss = running_loss + loss
                running_loss.backward(retain_graph=True)
            optimizer.step()
            if step % 50 == 49:
                print(step, float(running_loss) / (step + 1))


PROGRAM = Program(
    name="running-loss-in-backward",
    train=_train,
    source="PyTorch FAQ, history that is accumulated across the training loop",
    truth=Truth(rules=("diverging-loss", "oscillating-loss", "gradients-left-over", "runaway-growth", "updates-too-large", "summed-loss")),
)
