"""Q-learning on a grid with replay memory, a target network that follows slowly, and the Huber loss."""

from __future__ import annotations

import copy
import random

import torch
from torch import Tensor, nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting


class Memory:
    def __init__(self, size: int) -> None:
        self.size = size
        self.items: list[tuple[Tensor, Tensor, Tensor, Tensor, Tensor]] = []

    def add(self, *item: Tensor) -> None:
        state, action, reward, after, end = item
        self.items.append((state, action, reward, after, end))
        self.items = self.items[-self.size :]

    def sample(self, count: int) -> list[Tensor]:
        chosen = random.sample(self.items, min(count, len(self.items)))
        return [torch.cat(parts) for parts in zip(*chosen, strict=True)]


def _train(setting: Setting) -> None:
    random.seed(setting.seed)
    world, memory = Grid(16, size=3), Memory(150)
    q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    slow = copy.deepcopy(q).requires_grad_(False)
    optimizer = torch.optim.Adam(q.parameters(), lr=2e-3)
    state = world.reset()
    recent = []
    with setting.watch(q):
        for step in range(400):
            epsilon = max(0.05, 1 - step / 250)
            with torch.no_grad():
                greedy = slow(state).argmax(dim=1)
            action = torch.where(torch.rand(16) < epsilon, torch.randint(4, (16,)), greedy)
            after, reward, end = world.step(action)
            memory.add(state, action, reward, after, end.float())
            recent.append(reward.mean().item())
            state = after
            s, a, r, n, e = memory.sample(4)
            with torch.no_grad():
                target = r + 0.9 * (1 - e) * slow(n).amax(dim=1)
            loss = nn.functional.smooth_l1_loss(q(s).gather(1, a.unsqueeze(1)).squeeze(1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for old, new in zip(slow.parameters(), q.parameters(), strict=True):
                    old.lerp_(new, 0.03)
            if step % 100 == 99:
                print(f"step {step}: loss {loss.item():.4f}, reward {sum(recent[-50:]) / 50:.3f}")


PROGRAM = Program(name="q-learning-with-replay", train=_train, source="Mnih et al. 2015 (DQN), Polyak averaging")
