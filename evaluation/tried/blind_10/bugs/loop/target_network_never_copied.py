"""The target network of Q-learning never gets the weights of the other: it says forever what it said when it was initialized."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting, Truth


class QNet(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(Grid.features, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, Grid.actions))


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.online = QNet()
        self.target = QNet().requires_grad_(False)

    def sync(self) -> None:
        self.target.load_state_dict(self.online.state_dict())


def _train(setting: Setting) -> None:
    grid = Grid(64)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.online.parameters(), lr=3e-3)
    state = grid.reset()
    rewards_of_late = []
    with setting.watch(agent) as recorder:
        for step in range(200):
            with torch.no_grad(), recorder.forward_pass(None):
                greedy = agent.online(state).argmax(dim=1)
            action = torch.where(torch.rand(64) < 0.3, torch.randint(Grid.actions, (64,)), greedy)
            following, reward, is_over = grid.step(action)
            q = agent.online(state).gather(1, action[:, None]).squeeze(1)
            with torch.no_grad():
                future = agent.target(following).amax(dim=1)
            loss = nn.functional.smooth_l1_loss(q, reward + 0.9 * future * ~is_over)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            state = following
            if setting.is_fixed and step % 10 == 9:
                agent.sync()
            rewards_of_late.append(reward.mean().item())
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}, reward {sum(rewards_of_late[-40:]) / 40:.3f}")


PROGRAM = Program(
    name="target-network-never-copied",
    train=_train,
    source="GitHub issues on agents whose target network is never synchronized",
    truth=Truth(
        rules=("frozen-as-initialized",),
        nodes=("model.target", *(f"model.target.{layer}{part}" for layer in (0, 2, 4) for part in ("", ".weight", ".bias"))),
    ),
)
