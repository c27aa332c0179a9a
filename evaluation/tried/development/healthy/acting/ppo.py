"""Proximal policy optimization: rollouts without gradients, then several epochs of clipped updates."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.environments import Grid
from evaluation.program import Program, Setting


def _layer(fan_in: int, fan_out: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(fan_in, fan_out)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class _Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.critic = nn.Sequential(_layer(4, 64), nn.Tanh(), _layer(64, 64), nn.Tanh(), _layer(64, 1, 1.0))
        self.actor = nn.Sequential(_layer(4, 64), nn.Tanh(), _layer(64, 64), nn.Tanh(), _layer(64, 4, 0.01))

    def forward(self, state: Tensor) -> tuple[Categorical, Tensor]:
        return Categorical(logits=self.actor(state)), self.critic(state).squeeze(-1)


def _train(setting: Setting) -> None:
    copies, horizon, gamma, trace = 16, 16, 0.95, 0.9
    grid = Grid(copies)
    agent = _Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    rewards_seen = []
    with setting.watch(agent):
        state = grid.reset()
        for _ in range(60):
            states, actions, log_probs, values, rewards, overs = [], [], [], [], [], []
            with torch.no_grad():
                for _ in range(horizon):
                    policy, value = agent(state)
                    action = policy.sample()
                    states.append(state)
                    actions.append(action)
                    log_probs.append(policy.log_prob(action))
                    values.append(value)
                    state, reward, is_over = grid.step(action)
                    rewards.append(reward)
                    overs.append(is_over.float())
                following = agent(state)[1]
                advantages, advantage = [torch.zeros(copies)] * horizon, torch.zeros(copies)
                for t in reversed(range(horizon)):
                    delta = rewards[t] + gamma * following * (1 - overs[t]) - values[t]
                    advantage = delta + gamma * trace * (1 - overs[t]) * advantage
                    advantages[t], following = advantage, values[t]
            rewards_seen.append(torch.stack(rewards).mean().item())
            b_states, b_actions, b_log_probs, b_advantages = (torch.cat(x) for x in (states, actions, log_probs, advantages))
            b_returns = b_advantages + torch.cat(values)
            for _ in range(3):
                for index in torch.randperm(copies * horizon).split(64):
                    policy, value = agent(b_states[index])
                    ratio = (policy.log_prob(b_actions[index]) - b_log_probs[index]).exp()
                    normed = (b_advantages[index] - b_advantages[index].mean()) / (b_advantages[index].std() + 1e-8)
                    policy_loss = -torch.min(ratio * normed, ratio.clamp(0.8, 1.2) * normed).mean()
                    value_loss = 0.5 * (value - b_returns[index]).pow(2).mean()
                    loss = policy_loss + 0.5 * value_loss - 0.01 * policy.entropy().mean()
                    optimizer.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                    optimizer.step()


PROGRAM = Program(name="ppo", train=_train, source="Schulman et al. 2017, written as in CleanRL", chose_thresholds=True)
