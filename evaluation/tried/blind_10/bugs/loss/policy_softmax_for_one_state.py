"""A policy ends in a softmax over dimension 0. This is right for one state at a time, and wrong when it learns from many."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting, Truth


def make_policy(dim: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(Grid.features, 48), nn.LeakyReLU(), nn.Linear(48, Grid.actions), nn.Softmax(dim=dim))


def play(policy: nn.Module, grid: Grid) -> tuple[Tensor, Tensor, Tensor]:
    """States, actions and returns of one episode."""
    states, actions, rewards = [], [], []
    is_over = False
    while not is_over:
        state = grid.observe()[0]
        action = torch.multinomial(policy(state), 1)
        _, reward, over = grid.step(action)
        is_over = bool(over)
        states.append(state)
        actions.append(action)
        rewards.append(reward)
    total, returns = torch.zeros(1), list[Tensor]()
    for reward in reversed(rewards):
        total = reward + 0.9 * total
        returns.insert(0, total)
    return torch.stack(states), torch.cat(actions), torch.cat(returns)


def _train(setting: Setting) -> None:
    policy = make_policy(dim=-1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    grid = Grid(1, size=4)
    lengths = []
    with setting.watch(policy) as recorder:
        for episode in range(200):
            with torch.no_grad(), recorder.forward_pass(None):
                episodes = [play(policy, grid) for _ in range(2)]
            states, actions, returns = (torch.cat(parts) for parts in zip(*episodes, strict=True))
            chances = policy(states).gather(1, actions[:, None]).squeeze(1)
            loss = -((returns - returns.mean()) * (chances + 1e-8).log()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            lengths.append(len(states) / 2)
            if episode % 40 == 39:
                print(f"{episode}: {sum(lengths[-40:]) / 40:.2f} steps per episode")


PROGRAM = Program(
    name="policy-softmax-for-one-state",
    train=_train,
    source="GitHub issues on a textbook's policy gradient with Softmax(dim=0)",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model", "model: output", "model.3", "model.3: output", "model.2: output")),
)
