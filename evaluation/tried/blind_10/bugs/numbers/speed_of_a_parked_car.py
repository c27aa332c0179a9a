"""The speed of a car is the length of how it moves. From step 47 on, some cars are parked: `hypot(0, 0)` has no gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Motion(nn.Module):
    """How far a car moves, from what it did before; parked cars do not."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 24, batch_first=True)
        self.out = nn.Linear(24, 2)

    def forward(self, past: Tensor, is_parked: Tensor) -> Tensor:
        _, state = self.gru(past)
        return self.out(state[0]) * ~is_parked[:, None]


def tracks(count: int) -> tuple[Tensor, Tensor]:
    """Moves `[N, 8, 2]` along arcs, and the next one `[N, 2]`."""
    angle = 1.5 * torch.rand(count, 1) + (0.2 * torch.rand(count, 1) - 0.1) * torch.arange(9)
    moves = torch.stack([angle.cos(), angle.sin()], dim=2) * (0.5 + torch.rand(count, 1, 1)) + 0.05 * torch.randn(count, 9, 2)
    return moves[:, :8], moves[:, 8]


def _train(setting: Setting) -> None:
    past, following = tracks(2000)
    model = Motion()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    eps = 1e-4 if setting.is_fixed else 0.0
    with setting.watch(model):
        for step in range(120):
            rows = torch.randint(2000, (32,))
            is_parked = torch.arange(32) < (0 if step < 47 else 3)
            move = model(past[rows], is_parked)
            truth = following[rows] * ~is_parked[:, None]
            too_fast = torch.hypot(move[:, 0] + eps, move[:, 1]) - truth.norm(dim=1)
            loss = nn.functional.mse_loss(move, truth) + 0.3 * too_fast.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="speed-of-a-parked-car",
    train=_train,
    source="GitHub issues on gradients of lengths that are NaN at the origin",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "hypot",
            "sub",
            "add",
            "select",
            "getitem",
            "mul",
            "model: output",
            "model.out",
            "model.out: output",
            "model.out.weight",
            "model.out.bias",
        ),
        step=47,
    ),
)
