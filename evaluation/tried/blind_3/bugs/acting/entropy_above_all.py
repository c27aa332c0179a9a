"""The weight of the entropy is 10 instead of 0.01, so the policy stays random."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import Room


class ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(Room.features, 32), nn.Tanh())
        self.actor, self.critic = nn.Linear(32, Room.actions), nn.Linear(32, 1)

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.trunk(state)
        return self.actor(hidden), self.critic(hidden).squeeze(-1)


def _train(setting: Setting) -> None:
    net = ActorCritic()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    weight = 0.01 if setting.is_fixed else 10.0
    with setting.watch(net):
        for step in range(300):
            if step % 16 == 0:
                room = Room(64)
                state = room.observe()
            logits, value = net(state)
            policy = Categorical(logits=logits)
            action = policy.sample()
            state, reward = room.step(action)
            with torch.no_grad():
                target = reward + 0.8 * net(state)[1]
            advantage = target - value
            loss = (advantage.square() - policy.log_prob(action) * advantage.detach() - weight * policy.entropy()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 16 == 15:
                print(step, reward.mean().item())


PROGRAM = Program(
    name="entropy-above-all",
    train=_train,
    source="Stable-Baselines issues, ent_coef too large",
    truth=Truth(
        rules=("same-for-all-samples", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=("model: output[0]", "model.actor: output", "model.actor", "model.actor.weight"),
    ),
)
