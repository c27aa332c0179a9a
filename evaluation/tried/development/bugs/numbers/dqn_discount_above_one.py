"""The discount of a deep Q-network is 1.3, and its values grow without limit."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class QNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, states: Tensor) -> Tensor:
        return self.body(states)


def _train(setting: Setting) -> None:
    states, actions = torch.randn(4000, 4), torch.randint(0, 2, (4000,))
    drift = torch.where(actions == 1, 0.3, -0.3)
    following = 0.9 * states + drift[:, None] + 0.1 * torch.randn(4000, 4)
    rewards = 1 - following[:, 0].abs()
    discount = 0.9 if setting.is_fixed else 1.3
    model, target = QNetwork(), QNetwork()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for number, (s, a, r, n) in enumerate(batches(1200, 64, states, actions, rewards, following)):
            if number % 20 == 0:
                target.load_state_dict(model.state_dict())
            with torch.no_grad():
                goal = r + discount * target(n).amax(dim=1)
            loss = nn.functional.mse_loss(model(s).gather(1, a[:, None]).squeeze(1), goal)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="dqn-discount-above-one",
    train=_train,
    source="Mnih et al. 2015, with a wrong discount",
    truth=Truth(
        rules=("runaway-growth", "diverging-loss", "logit-growth"), nodes=("model.body: output", "model.body.4: output", "model: output")
    ),
    chose_thresholds=True,
)
