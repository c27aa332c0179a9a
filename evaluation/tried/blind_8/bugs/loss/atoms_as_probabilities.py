"""A graph network ends in a softmax over the kinds of reaction, and `cross_entropy` applies another."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import molecules


class ReactionNet(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.lift = nn.Linear(4, 32)
        self.mix = nn.Linear(32, 32)
        self.readout = nn.Linear(32, 3)
        self.last = last

    def forward(self, kinds: Tensor, bonds: Tensor) -> Tensor:
        h = torch.relu(self.lift(kinds))
        h = torch.relu(self.mix(h + bonds @ h))
        return self.last(self.readout(h.mean(dim=1)))


def _train(setting: Setting) -> None:
    kinds, bonds, energy = molecules(1500)
    reaction = torch.bucketize(energy.squeeze(1), torch.tensor([-0.4, 0.4]))
    net = ReactionNet(nn.Identity() if setting.is_fixed else nn.Softmax(dim=1))
    optimizer = torch.optim.Adam(net.parameters(), lr=8e-3)
    with setting.watch(net):
        for step, (k, b, y) in enumerate(batches(300, 40, kinds, bonds, reaction)):
            loss = nn.functional.cross_entropy(net(k, b), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 59:
                print(f"step {step}: loss {loss.item():.3f}")


PROGRAM = Program(
    name="atoms-as-probabilities",
    train=_train,
    source="Zhang et al. 2018; PyTorch documentation of cross_entropy",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.last", "model.last: output", "cross_entropy")),
)
