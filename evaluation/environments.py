"""Small worlds for reinforcement learning: many copies of each are stepped at once."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["Grid", "Point"]

_MOVES = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])


class Grid:
    """Walk on a square grid to a goal. An episode ends at the goal or after 12 steps, and the next begins.

    Attributes:
        actions: How many actions there are.
        features: The size of an observation: where the walker is, and where the goal is, from -1 to 1.
    """

    actions = 4
    features = 4

    def __init__(self, copies: int, size: int = 5) -> None:
        self.size = size
        self._walkers = torch.randint(size, (copies, 2))
        self._goals = torch.randint(size, (copies, 2))
        self._ages = torch.zeros(copies, dtype=torch.long)

    def observe(self) -> Tensor:
        """`[copies, features]`."""
        return torch.cat([self._walkers, self._goals], dim=1) / (self.size - 1) * 2 - 1

    def reset(self) -> Tensor:
        """Begins a new episode in every copy."""
        self._begin(torch.ones(len(self._ages), dtype=torch.bool))
        return self.observe()

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the next observations, rewards `[copies]`, and where an episode ended `[copies]`."""
        self._walkers = (self._walkers + _MOVES[actions]).clamp(0, self.size - 1)
        self._ages += 1
        is_there = (self._walkers == self._goals).all(1)
        is_over = is_there | (self._ages >= 12)
        rewards = torch.where(is_there, 1.0, -0.1)
        self._begin(is_over)
        return self.observe(), rewards, is_over

    def _begin(self, where: Tensor) -> None:
        count = int(where.sum())
        self._walkers[where] = torch.randint(self.size, (count, 2))
        self._goals[where] = torch.randint(self.size, (count, 2))
        self._ages[where] = 0


class Point:
    """Push a point on a line to rest at 0. An episode lasts 20 steps.

    Attributes:
        features: The size of an observation: place and speed.
    """

    features = 2

    def __init__(self, copies: int) -> None:
        self._state = torch.zeros(copies, 2)
        self._age = 0

    def reset(self) -> Tensor:
        """Begins a new episode in every copy."""
        self._state = torch.rand(len(self._state), 2) * 2 - 1
        self._age = 0
        return self._state.clone()

    def step(self, force: Tensor) -> tuple[Tensor, Tensor, bool]:
        """Returns the next observations, rewards `[copies]`, and whether the episodes ended."""
        place, speed = self._state.unbind(1)
        speed = 0.9 * speed + 0.3 * force.squeeze(1).clamp(-1, 1)
        place = (place + 0.3 * speed).clamp(-2, 2)
        self._state = torch.stack([place, speed], dim=1)
        self._age += 1
        rewards = -(place**2) - 0.1 * speed**2 - 0.01 * force.squeeze(1) ** 2
        return self._state.clone(), rewards, self._age >= 20
