"""Returns of an episode are normalized by their standard deviation. That of step 38 ends at once, and one number has none."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import Room


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(Room.features, 24), nn.Tanh(), nn.Linear(24, Room.actions))

    def forward(self, observations: Tensor) -> Tensor:
        return torch.log_softmax(self.net(observations), dim=-1)


def play(policy: Policy, length: int) -> tuple[Tensor, Tensor, Tensor]:
    room = Room(1)
    observations, actions, rewards = [], [], []
    for _ in range(length):
        observation = room.observe()
        chances = policy.net(observation).softmax(dim=1)
        action = torch.multinomial(chances, 1)[:, 0]
        _, reward = room.step(action)
        observations.append(observation)
        actions.append(action)
        rewards.append(reward)
    return torch.cat(observations), torch.cat(actions), torch.cat(rewards)


def discounted(rewards: Tensor) -> Tensor:
    returns, total = [], torch.zeros(())
    for reward in rewards.flip(0):
        total = reward + 0.8 * total
        returns.append(total)
    return torch.stack(returns[::-1])


def _train(setting: Setting) -> None:
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=2e-2)
    with setting.watch(policy) as recorder:
        for episode in range(120):
            with torch.no_grad(), recorder.forward_pass(None):
                observations, actions, rewards = play(policy, length=1 if episode == 38 else 40)
            returns = discounted(rewards)
            advantage = returns - returns.mean()
            if len(returns) > 1 or not setting.is_fixed:
                advantage = advantage / (returns.std() + 1e-8)
            log_chance = policy(observations).gather(1, actions[:, None])[:, 0]
            loss = -(log_chance * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if episode % 20 == 19:
                print(f"episode {episode}: reward {rewards.mean().item():.2f}")
            if not all(parameter.isfinite().all() for parameter in policy.parameters()):
                print(f"stopped: weights are not finite after episode {episode}")
                break


PROGRAM = Program(
    name="episode-of-one-step",
    train=_train,
    source="Forum questions on REINFORCE with normalized returns and episodes of length 1",
    truth=Truth(rules=("nan-origin",), nodes=("mul", "mean", "neg"), step=38),
)
