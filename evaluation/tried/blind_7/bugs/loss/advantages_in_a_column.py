"""Log probabilities are `[N]` and advantages `[N, 1]`, so each action is rewarded for what all the others did."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.program import Program, Setting, Truth


class ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.base = nn.Sequential(nn.Linear(6, 48), nn.Tanh())
        self.actor, self.critic = nn.Linear(48, 3), nn.Linear(48, 1)

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        h = self.base(state)
        return self.actor(h), self.critic(h)


def _train(setting: Setting) -> None:
    worth = torch.randn(6, 3)
    agent = ActorCritic()
    optimizer = torch.optim.Adam(agent.parameters(), lr=5e-3)
    with setting.watch(agent):
        for episode in range(250):
            state = torch.randn(64, 6)
            logits, value = agent(state)
            chosen = Categorical(logits=logits)
            action = chosen.sample()
            reward = (state @ worth).gather(1, action[:, None]) + 0.2 * torch.randn(64, 1)
            advantage = (reward - value).detach()
            if setting.is_fixed:
                advantage = advantage.squeeze(1)
            actor_loss = -(chosen.log_prob(action) * advantage).mean()
            loss = actor_loss + 0.5 * nn.functional.mse_loss(value, reward)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if episode % 50 == 49:
                print(f"mean reward {reward.mean():.3f}")


PROGRAM = Program(
    name="advantages-in-a-column",
    train=_train,
    source="github.com/PacktPublishing/Deep-Reinforcement-Learning-Hands-On/issues/33: advantages of shape [N, N]",
    truth=Truth(rules=("broadcast-in-loss",), nodes=("mul", "neg", "mean", "squeeze")),
)
