"""A residual branch should begin as zero by its last layer. Both of its layers are set to zero, and neither gets a gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(torch.relu(self.up(x)))


def _train(setting: Setting) -> None:
    table, stays = clients(1800)
    net = nn.Sequential(nn.Linear(12, 32), Block(32), Block(32), Block(32), nn.Linear(32, 2))
    zeroed = ("down.weight",) if setting.is_fixed else ("down.weight", "up.weight")
    for name, weight in net.named_parameters():
        if name.endswith(zeroed):
            nn.init.zeros_(weight)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step, (row, label) in enumerate(batches(250, 50, table, stays)):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(row), label)
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="both-halves-of-a-branch-zero",
    train=_train,
    source="Zhang et al. 2019 (Fixup), who zero the last layer of a branch only",
    truth=Truth(
        rules=("zero-gradient", "equal-weights", "never-updated", "branch-without-effect"),
        nodes=tuple(f"model.{i}{what}" for i in (1, 2, 3) for what in ("", ".up", ".down", ".up.weight", ".down.weight", ".down: output")),
    ),
)
