"""Two optimizers, and a copied line clears the gradients of the actor twice: those of the critic add up for the whole run."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting, Truth


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 4))
        self.critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        return self.actor(state), self.critic(state).squeeze(-1)


def _train(setting: Setting) -> None:
    grid = Grid(32)
    agent = Agent()
    actor_optimizer = torch.optim.Adam(agent.actor.parameters(), lr=2e-3)
    critic_optimizer = torch.optim.Adam(agent.critic.parameters(), lr=2e-3)
    with setting.watch(agent):
        state = grid.reset()
        for _ in range(500):
            logits, value = agent(state)
            policy = torch.distributions.Categorical(logits=logits)
            action = policy.sample()
            state, reward, is_over = grid.step(action)
            with torch.no_grad():
                goal = reward + 0.95 * agent.critic(state).squeeze(-1) * ~is_over
            advantage = goal - value
            actor_loss = -(policy.log_prob(action) * advantage.detach()).mean() - 0.01 * policy.entropy().mean()
            critic_loss = advantage.pow(2).mean()
            actor_optimizer.zero_grad()
            (critic_optimizer if setting.is_fixed else actor_optimizer).zero_grad()
            (actor_loss + critic_loss).backward()
            actor_optimizer.step()
            critic_optimizer.step()


PROGRAM = Program(
    name="zero-grad-of-the-wrong-optimizer",
    train=_train,
    source="PyTorch forum, zero_grad with several optimizers",
    truth=Truth(
        rules=("gradients-left-over",),
        nodes=("model.critic", *(f"model.critic.{k}{what}" for k in (0, 2) for what in ("", ".weight", ".bias"))),
    ),
)
