"""A simulator changes its state in place, and the list of transitions holds the same tensor again and again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Cart:
    """Rolls on a line between two springs."""

    def __init__(self) -> None:
        self.state = torch.randn(3)

    def push(self, force: float) -> Tensor:
        place, speed, _ = self.state.tolist()
        self.state[2] = force
        self.state[1] = 0.95 * speed + 0.3 * force - 0.1 * place
        self.state[0] = place + 0.3 * speed
        return self.state


def _train(setting: Setting) -> None:
    cart = Cart()
    states = []
    for _ in range(1500):
        state = cart.push(float(torch.randn(())))
        states.append(state.clone() if setting.is_fixed else state)
    history = torch.stack(states)
    net = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for before, after in batches(250, 32, history[:-1], history[1:]):
            optimizer.zero_grad()
            nn.functional.mse_loss(net(before), after).backward()
            optimizer.step()


PROGRAM = Program(
    name="states-by-reference",
    train=_train,
    source="Stack Overflow, all entries of a replay buffer are the last state",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "predictions-ignore-input"),
        nodes=("model: input", "model.0: input", "model.0: output", "model: output", "model.4: output"),
    ),
)
