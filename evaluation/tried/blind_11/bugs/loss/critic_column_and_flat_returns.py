"""The critic returns `[N, 1]` and the targets of its values are `[N]`: its loss is over all pairs."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import Room


class ActorCritic(nn.Module):
    def __init__(self, state_dim: int, action_dim: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(state_dim, 32), nn.Tanh(), nn.Linear(32, action_dim))
        self.critic = nn.Sequential(nn.Linear(state_dim, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        return self.actor(states), self.critic(states)


def _train(setting: Setting) -> None:
    warnings.simplefilter("ignore", UserWarning)
    agent = ActorCritic(Room.features, Room.actions)
    optimizer = torch.optim.Adam(agent.parameters(), lr=5e-3)
    gamma, env = 0.9, Room(64)
    states = env.observe()
    with setting.watch(agent):
        for step in range(200):
            logits, values = agent(states)
            if setting.is_fixed:
                values = values.squeeze(1)
            policy = Categorical(logits=logits)
            actions = policy.sample()
            next_states, rewards = env.step(actions)
            with torch.no_grad():
                next_values = agent.critic(next_states).squeeze(1)
            td_target = rewards + gamma * next_values
            td_delta = (td_target - values.reshape(-1)).detach()
            critic_loss = nn.functional.mse_loss(values, td_target)
            actor_loss = -(policy.log_prob(actions) * td_delta).mean()
            loss = actor_loss + 0.5 * critic_loss - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            states = next_states
            if step % 16 == 15:
                env = Room(64)
                states = env.observe()
                spread = values.std().item()
                print(f"{step + 1}: critic {critic_loss.item():.3f}, values deviate by {spread:.3f}, reward {rewards.mean().item():.3f}")


PROGRAM = Program(
    name="critic-column-and-flat-returns",
    train=_train,
    source="GitHub sunwuzhou03/reinforcement-learning-lab#1, 'MSE warning': the target of the critic has another size than its values",
    truth=Truth(rules=("broadcast-in-loss",), nodes=("mse_loss", "mse_loss: target", "model: output[1]", "model.critic.2: output")),
)
