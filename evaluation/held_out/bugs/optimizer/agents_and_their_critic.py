"""Several agents keep a distance from each other. A critic judges their joint moves, with the rates of a paper."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Agents(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 6), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def value(self, places: Tensor, moves: Tensor) -> Tensor:
        return self.critic(torch.cat([places, moves], dim=1))


def _reward(places: Tensor, moves: Tensor) -> Tensor:
    after = (places + 0.5 * moves).view(-1, 3, 2)
    gaps = torch.stack([(after[:, a] - after[:, b]).square().sum(dim=1) for a, b in ((0, 1), (0, 2), (1, 2))], dim=1)
    return -(gaps - 1).abs().mean(dim=1, keepdim=True)


def _train(setting: Setting) -> None:
    model = Agents()
    scale = 1.0 if setting.is_fixed else 1e-4
    actor_optimizer = torch.optim.Adam(model.actor.parameters(), lr=2e-3 * scale)
    critic_optimizer = torch.optim.Adam(model.critic.parameters(), lr=5e-3 * scale)
    with setting.watch(model):
        for step in range(200):
            places = 0.7 * torch.randn(96, 6)
            moves = (model.actor(places) + 0.4 * torch.randn(96, 6)).clamp(-1, 1).detach()
            critic_loss = nn.functional.mse_loss(model.value(places, moves), _reward(places, moves))
            critic_optimizer.zero_grad()
            critic_loss.backward()
            critic_optimizer.step()
            actor_loss = -model.value(places, model.actor(places)).mean()
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()
            if step % 40 == 39:
                print(f"{step}: critic {critic_loss.item():.4f}, reward {_reward(places, model.actor(places)).mean().item():.4f}")


PROGRAM = Program(
    name="agents-and-their-critic",
    train=_train,
    source="https://github.com/isp1tze/MAProj/issues/3",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
