"""Data that the programs learn from: made with torch, different with every seed, and not trivial.

Letters: `N` samples, `F` features, `T` steps of a sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

__all__ = ["batches", "class_blobs", "curves", "digits", "regression_table", "sentences"]


def class_blobs(count: int = 2000, features: int = 20, classes: int = 5) -> tuple[Tensor, Tensor]:
    """Normalized features `[N, F]`, and the classes `[N]` that a random network gives them."""
    inputs = torch.randn(count, features)
    scores = torch.tanh(inputs @ torch.randn(features, 32) / features**0.5) @ torch.randn(32, classes)
    return inputs, scores.argmax(dim=1)


def regression_table(count: int = 2000, features: int = 10) -> tuple[Tensor, Tensor]:
    """Normalized features `[N, F]`, and a smooth function of them `[N, 1]` with mean 0 and deviation 1."""
    inputs = torch.randn(count, features)
    targets = torch.tanh(inputs @ torch.randn(features, 16) / features**0.5) @ torch.randn(16, 1)
    return inputs, (targets - targets.mean()) / targets.std()


def digits(count: int = 1500, classes: int = 6, size: int = 12) -> tuple[Tensor, Tensor]:
    """Images `[N, 1, size, size]` from 0 to 1: a noisy pattern per class, shifted by up to two pixels; and the classes `[N]`."""
    patterns = (torch.rand(classes, size, size) > 0.6).float()
    labels = torch.randint(0, classes, (count,))
    shifts = torch.randint(-2, 3, (count, 2)).tolist()
    images = [patterns[label].roll(shift, (0, 1)) for label, shift in zip(labels.tolist(), map(tuple, shifts), strict=True)]
    return (torch.stack(images)[:, None] * 0.8 + 0.2 * torch.rand(count, 1, size, size)).clamp(0, 1), labels


def sentences(count: int = 2000, length: int = 12, vocabulary: int = 40) -> tuple[Tensor, Tensor]:
    """Tokens `[N, T]`, and `[N]` whether there are more tokens of the lower half of the vocabulary than of the upper half."""
    tokens = torch.randint(0, vocabulary, (count, length))
    lower = (tokens < vocabulary // 2).sum(dim=1)
    return tokens, (lower > length / 2).long()


def curves(count: int = 1000, length: int = 20) -> tuple[Tensor, Tensor]:
    """Noisy sine curves `[N, T, 1]`, and the next value of each `[N, 1]`."""
    phase, speed = torch.rand(count, 1) * 6.28, 0.2 + 0.5 * torch.rand(count, 1)
    values = torch.sin(phase + speed * torch.arange(length + 1)) + 0.05 * torch.randn(count, length + 1)
    return values[:, :-1, None], values[:, -1:]


def batches(steps: int, size: int, *tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Random batches, epoch after epoch, each sample once per epoch."""
    order = torch.empty(0, dtype=torch.long)
    for _ in range(steps):
        if len(order) < size:
            order = torch.randperm(len(tensors[0]))
        chosen, order = order[:size], order[size:]
        yield tuple(tensor[chosen] for tensor in tensors)
