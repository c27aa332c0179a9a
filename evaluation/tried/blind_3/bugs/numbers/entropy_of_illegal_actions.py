"""The entropy of a policy is `-(p * log(p))`, and illegal actions have the probability 0: 0 times minus infinity."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(9, 48), nn.Tanh(), nn.Linear(48, 9))

    def forward(self, board: Tensor) -> Tensor:
        return self.layers(board).masked_fill(board != 0, float("-inf")).softmax(dim=1)


def expert(board: Tensor) -> Tensor:
    """Puts a stone on the free place that has the most stones of its own beside it."""
    beside = torch.tensor([[float(abs(a // 3 - b // 3) + abs(a % 3 - b % 3) == 1) for a in range(9)] for b in range(9)])
    worth = (board > 0).float() @ beside - 0.01 * torch.arange(9)
    return worth.masked_fill(board != 0, float("-inf")).argmax(dim=1)


def _train(setting: Setting) -> None:
    net = Policy()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    epsilon = 1e-8 if setting.is_fixed else 0.0
    with setting.watch(net):
        for _ in range(250):
            board = torch.randint(-1, 2, (64, 9)).float()
            board[:, 4] = 0
            p = net(board)
            entropy = -(p * torch.log(p + epsilon)).sum(dim=1).mean()
            loss = nn.functional.nll_loss(torch.log(p + 1e-8), expert(board)) - 0.01 * entropy
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="entropy-of-illegal-actions",
    train=_train,
    source="GitHub issues of RL libraries, NaN in the entropy with action masks",
    truth=Truth(rules=("nan-origin",), nodes=("log", "model: output", "model", "model.layers: output", "model.layers.2: output"), step=0),
)
