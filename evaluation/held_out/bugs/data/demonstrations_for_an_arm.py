"""A policy for an arm imitates demonstrations, and reads one demonstration after the other."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _demonstrations(count: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    start = torch.randn(count, 1, 4)
    goal = torch.randn(count, 1, 4)
    share = torch.linspace(0, 1, length)[:, None]
    place = start + (goal - start) * share
    state = torch.cat([place, goal.expand_as(place)], dim=2) + 0.02 * torch.randn(count, length, 8)
    action = torch.tanh(1.5 * (goal - place)) + 0.05 * torch.randn(count, length, 4)
    return state.flatten(0, 1), action.flatten(0, 1)


def _train(setting: Setting) -> None:
    states, actions = _demonstrations(50, 48)
    loader = DataLoader(TensorDataset(states, actions), batch_size=48, shuffle=setting.is_fixed, drop_last=True)
    policy = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 4))
    optimizer = torch.optim.AdamW(policy.parameters(), lr=3e-3)
    with setting.watch(policy):
        for epoch in range(4):
            total = 0.0
            for state, action in loader:
                loss = nn.functional.mse_loss(policy(state), action)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch}: {total / len(loader):.4f}")


PROGRAM = Program(
    name="demonstrations-for-an-arm",
    train=_train,
    source="https://github.com/Physical-Intelligence/openpi/pull/113",
    truth=Truth(rules=("batches-not-shuffled",), nodes=("model: input", "model.0: input", "mse_loss: target", "mse_loss")),
)
