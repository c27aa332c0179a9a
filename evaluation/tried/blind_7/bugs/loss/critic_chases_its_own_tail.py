"""The target of a critic is computed by the same critic, without `no_grad`, so gradients also move the target."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.environments import Point
from evaluation.program import Program, Setting, Truth


class Critic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, state: Tensor, action: Tensor) -> Tensor:
        return self.net(torch.cat([state, action], dim=1))


def policy(state: Tensor) -> Tensor:
    return (-state.sum(dim=1, keepdim=True) + 0.3 * torch.randn(len(state), 1)).clamp(-1, 1)


def _train(setting: Setting) -> None:
    world, gamma = Point(64), 0.9
    critic = Critic()
    optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    with setting.watch(critic):
        state = world.reset()
        action = policy(state)
        for _ in range(300):
            after, reward, is_over = world.step(action)
            following = policy(after)
            with torch.set_grad_enabled(not setting.is_fixed):
                target = reward[:, None] + gamma * critic(after, following)
            loss = nn.functional.mse_loss(critic(state, action), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            state = world.reset() if is_over else after
            action = policy(state) if is_over else following


PROGRAM = Program(
    name="critic-chases-its-own-tail",
    train=_train,
    source="github.com/muupan/async-rl/issues/12 and forums: no gradient may flow into the target of a value",
    truth=Truth(rules=("trained-target",), nodes=("mse_loss: target", "mse_loss", "add")),
)
