"""REINFORCE on a slippery corridor. Rewards and losses go up and down, and the policy still learns."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(7, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    average = 0.0
    with setting.watch(model):
        for _ in range(100):
            place = torch.randint(1, 6, (24,))
            states, actions, rewards = [], [], []
            is_over = torch.zeros(24, dtype=torch.bool)
            for _ in range(8):
                state = F.one_hot(place, 7).float()
                with torch.no_grad():
                    action = torch.multinomial(model(state).softmax(1), 1).squeeze(1)
                slips = torch.rand(24) < 0.15
                place = torch.where(is_over, place, place + torch.where(slips, 1 - 2 * action, 2 * action - 1)).clamp(0, 6)
                rewards.append(torch.where(is_over, 0.0, (place == 6).float() - (place == 0).float() - 0.02))
                is_over = is_over | (place == 0) | (place == 6)
                states.append(state)
                actions.append(action)
            gains = torch.stack(rewards).flip(0).cumsum(0).flip(0)
            log_policy = model(torch.cat(states)).log_softmax(1)
            chosen = log_policy.gather(1, torch.cat(actions)[:, None]).squeeze(1)
            loss = -(chosen * (gains.flatten() - average)).mean()
            average = 0.9 * average + 0.1 * gains[0].mean().item()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"average return {average:.2f}")


PROGRAM = Program(name="rewards-up-and-down", train=_train, source="Williams 1992")
