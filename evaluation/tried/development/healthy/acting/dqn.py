"""Deep Q-learning with a replay buffer and a target network."""

from __future__ import annotations

import copy
import random
from collections import deque

import torch
from torch import Tensor, nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    choose = random.Random(setting.seed)
    grid = Grid(8)
    q_net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    target_net = copy.deepcopy(q_net)
    optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
    memory: deque[tuple[Tensor, ...]] = deque(maxlen=5000)
    gamma = 0.95
    rewards_seen = []
    with setting.watch(q_net):
        state = grid.reset()
        for step in range(1000):
            epsilon = max(0.05, 1 - step / 600)
            with torch.no_grad():
                actions = q_net(state).argmax(1)
            actions = torch.where(torch.rand(8) < epsilon, torch.randint(4, (8,)), actions)
            after, rewards, is_over = grid.step(actions)
            memory.extend(zip(state, actions, rewards, after, is_over.float(), strict=True))
            state = after
            rewards_seen.append(rewards.mean().item())
            if len(memory) < 200:
                continue

            states, chosen, gained, following, over = (torch.stack(column) for column in zip(*choose.sample(memory, 64), strict=True))
            with torch.no_grad():
                wanted = gained + gamma * (1 - over) * target_net(following).max(1).values
            predicted = q_net(states).gather(1, chosen[:, None]).squeeze(1)
            loss = nn.functional.smooth_l1_loss(predicted, wanted)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_value_(q_net.parameters(), 100)
            optimizer.step()
            if step % 50 == 0:
                target_net.load_state_dict(q_net.state_dict())


PROGRAM = Program(name="dqn", train=_train, source="Mnih et al. 2015, as PyTorch's tutorial", chose_thresholds=True)
