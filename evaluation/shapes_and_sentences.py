"""Data that several programs share: pictures of shapes, and sentences."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["LETTERS", "WORDS", "Shapes", "letters", "shapes", "words"]

LETTERS = " .abcdefghijklmnopqrstuvwxyz"
WORDS = ["the", "a", "small", "big", "old", "red", "cat", "dog", "bird", "child", "sees", "likes", "follows", "feeds", "and", "today", "."]
_ORDER = [(0, 1), (2, 3, 4, 5), (6, 7, 8, 9), (10, 11, 12, 13), (0, 1), (6, 7, 8, 9), (14, 15, 16)]


class Shapes(NamedTuple):
    """Pictures of a square, a disc, a cross or a ring."""

    images: Tensor
    """`[count, 1, size, size]`, with mean 0 and standard deviation 1."""
    classes: Tensor
    """`[count]`, from 0 to 3."""
    masks: Tensor
    """Where the shape is: `[count, 1, size, size]`, 0 or 1."""
    centers: Tensor
    """`[count, 2]`, from -1 to 1."""


def shapes(count: int, size: int = 16, noise: float = 0.3) -> Shapes:
    """Draws pictures of shapes at random places."""
    classes = torch.randint(4, (count,))
    centers = (torch.rand(count, 2) - 0.5) * 1.1
    radius = 0.3 + 0.15 * torch.rand(count, 1, 1)
    line = torch.linspace(-1, 1, size)
    y = (line[None, :, None] - centers[:, 1, None, None]).abs()
    x = (line[None, None, :] - centers[:, 0, None, None]).abs()
    distance = (x**2 + y**2).sqrt()
    kinds = torch.stack(
        [
            torch.maximum(x, y) < radius,
            distance < radius,
            (torch.minimum(x, y) < radius / 3) & (torch.maximum(x, y) < radius),
            (distance < 1.2 * radius) & (distance > 0.7 * radius),
        ],
        dim=1,
    )
    masks = kinds[torch.arange(count), classes].float().unsqueeze(1)
    images = masks + noise * torch.randn(count, 1, size, size)
    return Shapes((images - images.mean()) / images.std(), classes, masks, centers)


def words(count: int) -> Tensor:
    """Draws sentences such as "the small cat sees a dog ." and returns the places of their words in `WORDS`, `[count]`."""
    places = [torch.tensor(choices)[torch.randint(len(choices), (count // len(_ORDER) + 1,))] for choices in _ORDER]
    return torch.stack(places, dim=1).flatten()[:count]


def letters(count: int) -> Tensor:
    """The same sentences as places of letters in `LETTERS`, `[count]`."""
    text = " ".join(WORDS[place] for place in words(count // 3).tolist())
    return torch.tensor([LETTERS.index(letter) for letter in text[:count]])
