"""Values are [B, 1] and returns [B], so the advantage is [B, B]: each action is judged by what all others of the batch got."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import Room


class ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(Room.features, 64), nn.Tanh())
        self.policy = nn.Linear(64, Room.actions)
        self.value = nn.Linear(64, 1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        x = self.body(observation)
        return self.policy(x), self.value(x)


def _train(setting: Setting) -> None:
    room = Room(40)
    model = ActorCritic()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(160):
            logits, value = model(room.observe())
            action = Categorical(logits=logits).sample()
            _, reward = room.step(action)
            log_prob = Categorical(logits=logits).log_prob(action)
            value_loss = nn.functional.mse_loss(value.squeeze(-1), reward)
            baseline = value.squeeze(-1) if setting.is_fixed else value
            advantage = reward - baseline.detach()
            policy_loss = -(log_prob * advantage).mean()
            loss = policy_loss + 0.5 * value_loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 32 == 31:
                print(f"{step}: reward {reward.mean().item():.3f}, value loss {value_loss.item():.3f}")


PROGRAM = Program(
    name="advantage-of-everybody",
    train=_train,
    source="GitHub issues on A2C and A3C with advantages of shape [B, B]",
    truth=Truth(
        rules=("broadcast-in-loss",),
        nodes=("mul", "sub", "rsub", "mean", "neg", "model: output[1]", "model.value: output", "model.value", "gather", "squeeze"),
    ),
)
