"""REINFORCE: the policy is called at every step of an episode, and learns from the returns at its end."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.environments import Grid
from evaluation.program import Program, Setting


class _Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.affine1 = nn.Linear(4, 64)
        self.affine2 = nn.Linear(64, 4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(self.affine2(torch.relu(self.affine1(x))), dim=1)


def _train(setting: Setting) -> None:
    grid = Grid(32, size=3)
    policy = _Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    gamma = 0.9
    rewards_seen = []
    with setting.watch(policy):
        for _ in range(600):
            state = grid.reset()
            log_probs, rewards, overs = [], [], []
            for _ in range(6):
                actions = Categorical(policy(state))
                action = actions.sample()
                log_probs.append(actions.log_prob(action))
                state, reward, is_over = grid.step(action)
                rewards.append(reward)
                overs.append(is_over.float())
            returns: list[Tensor] = []
            total = torch.zeros(32)
            for reward, over in zip(reversed(rewards), reversed(overs), strict=True):
                total = reward + gamma * total * (1 - over)
                returns.insert(0, total)
            stacked = torch.stack(returns)
            advantage = (stacked - stacked.mean()) / (stacked.std() + 1e-8)
            loss = -(torch.stack(log_probs) * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rewards_seen.append(torch.stack(rewards).mean().item())


PROGRAM = Program(name="reinforce", train=_train, source="Williams 1992, as PyTorch's example reinforce", chose_thresholds=True)
