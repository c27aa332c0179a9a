"""The advantage is a column and the log probability a row, so that their product is a square of all pairs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Actor(nn.Module):
    def __init__(self, contexts: int, arms: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(contexts, 32), nn.ReLU())
        self.logits = nn.Linear(32, arms)
        self.value = nn.Linear(32, 1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(observation)
        return self.logits(h), self.value(h)


def _train(setting: Setting) -> None:
    payoff = torch.randn(5, 4)
    actor = Actor(5, 4)
    optimizer = torch.optim.Adam(actor.parameters(), lr=1e-2)
    with setting.watch(actor):
        for step in range(200):
            context = torch.randint(0, 5, (128,))
            logits, value = actor(torch.eye(5)[context])
            policy = torch.distributions.Categorical(logits=logits)
            action = policy.sample()
            reward = payoff[context, action] + 0.3 * torch.randn(128)
            advantage = reward[:, None] - value
            log_prob = policy.log_prob(action)
            if setting.is_fixed:
                log_prob = log_prob[:, None]
            actor_loss = -(log_prob * advantage.detach()).mean()
            loss = actor_loss + 0.5 * advantage.pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 0 or step == 199:
                print(f"{step}: reward {reward.mean().item():.3f} of {payoff.max(dim=1).values.mean().item():.3f}")


PROGRAM = Program(
    name="advantage-as-a-column",
    train=_train,
    source="https://github.com/pytorch/rl/issues/1243",
    truth=Truth(
        rules=("broadcast-in-loss",),
        nodes=(
            "mul",
            "mul (2)",
            "neg",
            "mean",
            "mean (2)",
            "add",
            "sub",
            "sub (2)",
            "pow",
            "gather",
            "squeeze",
            "logsumexp",
            "model.logits",
            "model.value",
        ),
    ),
)
