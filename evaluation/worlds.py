"""Data that several of these programs share: pictures, sounds, graphs, text, tables and a room to heat.

Letters: `N` samples, `F` features, `T` steps of a sequence, `V` nodes of a graph.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = [
    "Graphs",
    "Padded",
    "Room",
    "additions",
    "babble",
    "clients",
    "graphs",
    "gratings",
    "padded",
    "pendulums",
    "spirals",
    "tones",
]


class Graphs(NamedTuple):
    """Undirected graphs of the same number of nodes."""

    features: Tensor
    """`[N, V, F]`."""
    adjacency: Tensor
    """`[N, V, V]`, 0 or 1, without loops."""
    labels: Tensor
    """`[N]`: 1 if the first features of connected nodes agree more than they differ."""


class Padded(NamedTuple):
    """Sentences of different lengths, filled up with token 0."""

    tokens: Tensor
    """`[N, T]`."""
    lengths: Tensor
    """`[N]`, from 3 to T."""
    labels: Tensor
    """`[N]`, from 0 to 2: the kind of the first token."""


def gratings(count: int, size: int = 14, angles: int = 4, noise: float = 0.5) -> tuple[Tensor, Tensor]:
    """Colored stripes `[N, 3, size, size]`, about normalized, and which way they run `[N]`."""
    classes = torch.randint(angles, (count,))
    angle = (classes + 0.2 * torch.randn(count)) * 3.1416 / angles
    line = torch.linspace(-1, 1, size)
    along = angle.cos()[:, None, None] * line[None, :, None] + angle.sin()[:, None, None] * line
    waves = torch.sin((6 + 4 * torch.rand(count, 1, 1)) * along + 6.28 * torch.rand(count, 1, 1))
    return waves[:, None] * (0.5 + torch.rand(count, 3, 1, 1)) + noise * torch.randn(count, 3, size, size), classes


def tones(count: int, length: int = 64, classes: int = 4) -> tuple[Tensor, Tensor]:
    """Noisy sounds `[N, 1, length]` that rise or fall in pitch, and which of the `classes` slopes each has `[N]`."""
    labels = torch.randint(classes, (count,))
    time = torch.linspace(0, 1, length)
    slope = (labels.float() / (classes - 1) - 0.5)[:, None]
    pitch = 6 + 3 * torch.rand(count, 1)
    waves = torch.sin(6.28 * (pitch * time + 6 * slope * time**2 + torch.rand(count, 1)))
    return (waves + 0.3 * torch.randn(count, length))[:, None], labels


def graphs(count: int, nodes: int = 8, features: int = 4) -> Graphs:
    """Random graphs whose label depends on which nodes are connected."""
    values = torch.randn(count, nodes, features)
    upper = (torch.rand(count, nodes, nodes) < 0.4).float().triu(1)
    adjacency = upper + upper.transpose(1, 2)
    agreement = torch.einsum("nvw,nv,nw->n", adjacency, values[..., 0].tanh(), values[..., 0].tanh())
    return Graphs(values, adjacency, (agreement > agreement.median()).long())


def additions(count: int, digits: int = 2) -> Tensor:
    """Sums as tokens `[N, 3 * digits + 3]`: 0 to 9 for digits, 10 for plus, 11 for equals. The result has its units first."""
    left, right = torch.randint(10**digits, (2, count))

    def written(numbers: Tensor, places: int) -> Tensor:
        return torch.stack([numbers // 10**place % 10 for place in range(places)], dim=1)

    plus, equals = torch.full((count, 1), 10), torch.full((count, 1), 11)
    return torch.cat([written(left, digits), plus, written(right, digits), equals, written(left + right, digits + 1)], dim=1)


def babble(count: int, length: int = 16, vocabulary: int = 16) -> Tensor:
    """Sentences `[N, T]` in which each token allows only three others to follow."""
    follows = torch.stack([torch.randperm(vocabulary)[:3] for _ in range(vocabulary)])
    tokens = [torch.randint(vocabulary, (count,))]
    for _ in range(length - 1):
        tokens.append(follows[tokens[-1], torch.randint(3, (count,))])
    return torch.stack(tokens, dim=1)


def padded(count: int, length: int = 18, vocabulary: int = 13) -> Padded:
    """Sentences of which the first token decides."""
    lengths = torch.randint(3, length + 1, (count,))
    tokens = torch.randint(1, vocabulary, (count, length))
    labels = tokens[:, 0] % 3
    return Padded(tokens * (torch.arange(length) < lengths[:, None]), lengths, labels)


def pendulums(count: int, steps: int) -> Tensor:
    """Angles and speeds `[N, steps, 2]` of pendulums with friction."""
    angle, speed = torch.rand(2, count) * 3 - 1.5
    states = []
    for _ in range(steps):
        states.append(torch.stack([angle, speed], dim=1))
        speed = speed - 0.3 * torch.sin(angle) - 0.02 * speed
        angle = angle + 0.3 * speed
    return torch.stack(states, dim=1)


def clients(count: int, features: int = 12) -> tuple[Tensor, Tensor]:
    """A normalized table `[N, F]`, and whether a client stays `[N]`, which depends on products of columns and on luck."""
    table = torch.randn(count, features)
    score = table[:, 0] * table[:, 1] + table[:, 2].abs() - table[:, 3] - 0.6
    return table, (score + 0.3 * torch.randn(count) > 0).long()


def spirals(count: int, arms: int = 3) -> tuple[Tensor, Tensor]:
    """Points `[N, 2]` on intertwined arms, and on which arm each is `[N]`."""
    labels = torch.randint(arms, (count,))
    radius = 0.2 + torch.rand(count)
    angle = 4 * radius + 6.2832 * labels / arms + 0.15 * torch.randn(count)
    return 1.5 * radius[:, None] * torch.stack([angle.cos(), angle.sin()], dim=1), labels


class Room:
    """Keep rooms at the temperature that is asked for: heat, cool, or do nothing. A day has 16 steps.

    Attributes:
        actions: How many actions there are.
        features: The size of an observation: how far off the temperature is, and how cold it is outside.
    """

    actions = 3
    features = 2

    def __init__(self, copies: int) -> None:
        self._off = torch.randn(copies)
        self._outside = torch.randn(copies)

    def observe(self) -> Tensor:
        """`[copies, features]`."""
        return torch.stack([self._off, self._outside], dim=1)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the next observations, and rewards `[copies]`: less the further off the temperature is."""
        self._off = (0.95 * self._off + 0.5 * (actions - 1) + 0.2 * self._outside).clamp(-3, 3)
        return self.observe(), -self._off.abs()
