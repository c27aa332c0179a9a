"""The policy gradient is written as the mean of log probability times return, and minimized: the minus is missing."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.environments import Grid
from evaluation.program import Program, Setting, Truth


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.affine1 = nn.Linear(Grid.features, 64)
        self.affine2 = nn.Linear(64, Grid.actions)

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(self.affine2(torch.relu(self.affine1(x))), dim=1)


def discounted(rewards: list[Tensor], overs: list[Tensor], gamma: float = 0.9) -> Tensor:
    returns: list[Tensor] = []
    total = torch.zeros_like(rewards[0])
    for reward, over in zip(reversed(rewards), reversed(overs), strict=True):
        total = reward + gamma * total * (~over)
        returns.insert(0, total)
    stacked = torch.stack(returns)
    return (stacked - stacked.mean()) / (stacked.std() + 1e-8)


def _train(setting: Setting) -> None:
    sign = -1.0 if setting.is_fixed else 1.0
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    env = Grid(32, size=4)
    state = env.reset()
    with setting.watch(policy):
        for episode in range(80):
            log_probs, rewards, overs = [], [], []
            for _ in range(12):
                m = Categorical(policy(state))
                action = m.sample()
                state, reward, over = env.step(action)
                log_probs.append(m.log_prob(action))
                rewards.append(reward)
                overs.append(over)
            policy_loss = sign * (torch.stack(log_probs) * discounted(rewards, overs)).mean()
            optimizer.zero_grad()
            policy_loss.backward()
            optimizer.step()
            if episode % 10 == 9:
                print(f"episode {episode + 1}: loss {policy_loss.item():.3f}, mean reward {torch.stack(rewards).mean().item():.3f}")


PROGRAM = Program(
    name="reinforce-without-minus",
    train=_train,
    source="GitHub openai/spinningup#436, 'Why is there a minus sign in the loss', and Stack Overflow, REINFORCE without it",
    truth=Truth(rules=("negative-loss", "diverging-loss", "loss-does-not-fall"), nodes=("mul", "mean", "mul (2)")),
)
