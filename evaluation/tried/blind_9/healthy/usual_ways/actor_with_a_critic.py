"""An actor with a critic heats rooms: the advantage trains the policy, with a bonus for entropy."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.program import Program, Setting
from evaluation.worlds import Room


class ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(Room.features, 48), nn.Tanh())
        self.policy = nn.Linear(48, Room.actions)
        self.value = nn.Linear(48, 1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        features = self.shared(observations)
        return self.policy(features), self.value(features).squeeze(-1)


def _train(setting: Setting) -> None:
    agent = ActorCritic()
    optimizer = torch.optim.Adam(agent.parameters(), lr=8e-3)
    with setting.watch(agent):
        for update in range(140):
            room = Room(24)
            observation = room.observe()
            seen, actions, rewards = [], [], []
            for _ in range(8):
                scores = agent.policy(agent.shared(observation)).detach()
                action = Categorical(logits=scores).sample()
                seen.append(observation)
                actions.append(action)
                observation, reward = room.step(action)
                rewards.append(reward)
            returns: list[Tensor] = []
            total = torch.zeros(24)
            for reward in reversed(rewards):
                total = reward + 0.9 * total
                returns.insert(0, total)
            scores, value = agent(torch.cat(seen))
            choice = Categorical(logits=scores)
            gained = torch.cat(returns)
            advantage = (gained - value).detach()
            actor_loss = -(choice.log_prob(torch.cat(actions)) * advantage).mean()
            loss = actor_loss + 0.5 * nn.functional.mse_loss(value, gained) - 0.01 * choice.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if update % 28 == 27:
                print(f"{update}: reward {torch.stack(rewards).mean().item():.3f}, loss {loss.item():.3f}")


PROGRAM = Program(name="actor-with-a-critic", train=_train, source="Mnih et al. 2016, advantage actor-critic")
