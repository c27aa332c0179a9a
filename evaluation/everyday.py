"""More data that the programs learn from: in raw units as files have them, pictures with outlines, phrases, graphs, a small maze.

Letters: `N` samples, `F` features, `T` steps of a sequence, `S` the width of a picture, `V` nodes of a graph.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["clubs", "houses", "maze_moves", "outlines", "photos", "phrases", "tunes"]


def houses(count: int = 1200) -> tuple[Tensor, Tensor]:
    """Area in m², rooms, age in years, floor, and distance to the centre in metres `[N, 5]`; and prices in thousands `[N, 1]`."""
    area = 30 + 170 * torch.rand(count)
    rooms = (area / 28 + torch.randn(count)).round().clamp(1, 9)
    age, floor = 90 * torch.rand(count), torch.randint(0, 8, (count,)).float()
    distance = 200 + 14800 * torch.rand(count)
    price = 2.6 * area * torch.exp(-distance / 9000) + 11 * rooms + 3 * floor - 0.8 * age + 8 * torch.randn(count) + 120
    return torch.stack([area, rooms, age, floor, distance], dim=1), price[:, None]


def photos(count: int = 1000, classes: int = 4, size: int = 16) -> tuple[Tensor, Tensor]:
    """Coloured textures `[N, 3, S, S]` from 0 to 255, and their kinds `[N]`: each kind has its colour, and stripes of its own direction."""
    labels = torch.randint(0, classes, (count,))
    colours = 60 + 140 * torch.rand(classes, 3)
    angles = torch.arange(classes) * 3.1416 / classes
    y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    phase = 6.28 * torch.rand(count, 1, 1)
    along = x * torch.cos(angles[labels])[:, None, None] + y * torch.sin(angles[labels])[:, None, None]
    stripes = 40 * torch.sin(1.2 * along + phase)
    images = colours[labels][:, :, None, None] + stripes[:, None] + 45 * torch.randn(count, 3, size, size)
    return images.clamp(0, 255).round(), labels


def outlines(count: int = 600, size: int = 16) -> tuple[Tensor, Tensor]:
    """Noisy pictures `[N, 1, S, S]` around 0 to 1 with a bright disk each, and the disk's pixels `[N, S, S]` as 0 and 1."""
    y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    centre = 3 + (size - 6) * torch.rand(count, 2, 1, 1)
    radius = 2 + 2.5 * torch.rand(count, 1, 1)
    masks = ((y - centre[:, 0]) ** 2 + (x - centre[:, 1]) ** 2 < radius**2).float()
    images = 0.3 + 0.4 * masks + 0.18 * torch.randn(count, size, size)
    return images[:, None], masks


def phrases(count: int = 1500, length: int = 16, vocabulary: int = 24) -> Tensor:
    """Tokens `[N, T]`: a token mostly follows from the one before, by a table that is drawn once; every sixth is random."""
    follows = torch.randperm(vocabulary)
    tokens = [torch.randint(0, vocabulary, (count,))]
    for _ in range(length - 1):
        is_random = torch.rand(count) < 1 / 6
        tokens.append(torch.where(is_random, torch.randint(0, vocabulary, (count,)), follows[tokens[-1]]))
    return torch.stack(tokens, dim=1)


def tunes(count: int = 900, length: int = 40, classes: int = 4) -> tuple[Tensor, Tensor]:
    """Noisy waves `[N, T]` of unit size, and which of the pitches each has `[N]`."""
    labels = torch.randint(0, classes, (count,))
    pitch = 0.25 + 0.3 * labels[:, None] + 0.04 * torch.randn(count, 1)
    waves = torch.sin(pitch * torch.arange(length) + 6.28 * torch.rand(count, 1))
    return 1.2 * waves + 0.35 * torch.randn(count, length), labels


def clubs(count: int = 150, classes: int = 3, features: int = 12) -> tuple[Tensor, Tensor, Tensor]:
    """A graph of friends: features `[V, F]`, links `[V, V]` with ones on the diagonal, and clubs `[V]`; friends are mostly of one club."""
    labels = torch.randint(0, classes, (count,))
    same = labels[:, None] == labels[None]
    links = (torch.rand(count, count) < torch.where(same, 0.12, 0.01)).float().triu(1)
    centres = torch.randn(classes, features)
    return centres[labels] + 1.2 * torch.randn(count, features), links + links.T + torch.eye(count), labels


def maze_moves(count: int = 4000, width: int = 5) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Random moves in a square maze: places `[N, width²]` as one-hot, moves `[N]` of 4, rewards `[N]`, next places, and ends `[N]`.

    The last corner ends a walk with the reward 1. Every other move costs 0.02, and a move into a wall changes nothing.
    """
    place = torch.randint(0, width * width - 1, (count,))
    move = torch.randint(0, 4, (count,))
    row, column = place // width, place % width
    row = (row + (move == 0).long() - (move == 1).long()).clamp(0, width - 1)
    column = (column + (move == 2).long() - (move == 3).long()).clamp(0, width - 1)
    after = row * width + column
    end = (after == width * width - 1).float()
    one_hot = torch.eye(width * width)
    return one_hot[place], move, torch.where(end == 1, 1.0, -0.02), one_hot[after], end
