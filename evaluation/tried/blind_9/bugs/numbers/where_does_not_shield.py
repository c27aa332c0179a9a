"""The entropy of legal moves uses `torch.where` against log(0). The gradient of the branch that is not taken is NaN, from step 45 on."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

MOVES = 9


class Player(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.board = nn.Sequential(nn.Linear(MOVES, 48), nn.ReLU())
        self.policy = nn.Linear(48, MOVES)

    def forward(self, board: Tensor, legal: Tensor) -> Tensor:
        scores = self.policy(self.board(board))
        return torch.softmax(scores.masked_fill(~legal, float("-inf")), dim=1)


def entropy(chances: Tensor, clamp: bool) -> Tensor:
    safe = chances.clamp(min=1e-8) if clamp else chances
    surprise = torch.where(chances > 0, chances * torch.log(safe), torch.zeros_like(chances))
    return -surprise.sum(dim=1).mean()


def _train(setting: Setting) -> None:
    player = Player()
    optimizer = torch.optim.Adam(player.parameters(), lr=4e-3)
    best = torch.randn(MOVES, MOVES)
    with setting.watch(player):
        for step in range(120):
            board = torch.randn(32, MOVES)
            # Games begin with an empty board, and all moves are legal.
            taken = torch.rand(32, MOVES) < (0.0 if step < 45 else 0.3)
            taken[:, 4] = False
            legal = ~taken
            move = (board @ best).masked_fill(~legal, float("-inf")).argmax(dim=1)
            chances = player(board, legal)
            imitation = -torch.log(chances.gather(1, move[:, None]) + 1e-8).mean()
            loss = imitation - 0.01 * entropy(chances, clamp=setting.is_fixed)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 24 == 23:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="where-does-not-shield",
    train=_train,
    source="GitHub issues and the JAX FAQ, NaN gradients of torch.where over log or sqrt of 0",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("log", "log (2)", "mul", "where", "model: output", "model.policy: output", "model.policy.weight", "model.policy.bias"),
        step=45,
    ),
)
