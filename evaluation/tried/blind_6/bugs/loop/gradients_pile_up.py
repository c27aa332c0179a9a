"""A GRU learns to count, and nobody calls `zero_grad`: every step uses the sum of all gradients so far."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(6, 24, batch_first=True)
        self.out = nn.Linear(24, 7)

    def forward(self, symbols: Tensor) -> Tensor:
        states, _ = self.gru(F.one_hot(symbols, 6).float())
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    symbols = torch.randint(6, (2000, 10))
    counts = (symbols == 0).sum(dim=1).clamp(max=6)
    model = Counter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(250, 64, symbols, counts):
            loss = F.cross_entropy(model(x), y)
            if setting.is_fixed:
                optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(symbols).argmax(1) == counts).float().mean():.2f}")


PROGRAM = Program(
    name="gradients-pile-up",
    train=_train,
    source="StackOverflow, why zero_grad is needed; Islam et al. 2019",
    truth=Truth(rules=("gradients-left-over", "updates-too-large", "oscillating-loss", "diverging-loss")),
)
