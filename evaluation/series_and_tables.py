"""Data that several programs share: heartbeats, trees in orchards, spoken commands, molecules and machines.

Letters: `N` samples, `F` features, `T` steps of a sequence, `A` atoms of a molecule.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["commands", "heartbeats", "machines", "molecules", "orchards"]


def heartbeats(count: int, length: int = 48, kinds: int = 3) -> tuple[Tensor, Tensor]:
    """Voltages `[N, 1, T]`, roughly from -1 to 2, with two peaks whose distance tells the kind, and the kinds `[N]`."""
    labels = torch.randint(kinds, (count,))
    time = torch.arange(length).float()
    first = 6 + 8 * torch.rand(count, 1)
    second = first + 8 + 6 * labels[:, None] + torch.rand(count, 1)
    peaks = 1.6 * torch.exp(-((time - first) ** 2) / 3) + 0.8 * torch.exp(-((time - second) ** 2) / 6)
    return (peaks - 0.2 + 0.15 * torch.randn(count, length))[:, None], labels


def orchards(count: int, features: int = 8) -> tuple[Tensor, Tensor]:
    """Normalized measurements of trees `[N, F]`, and their yield `[N, 1]` with mean 0 and deviation 1."""
    table = torch.randn(count, features)
    yields = table[:, 0] * table[:, 1] + torch.relu(table[:, 2] + table[:, 3]) + (2 * table[:, 4]).sin() + 0.1 * torch.randn(count)
    return table, ((yields - yields.mean()) / yields.std())[:, None]


def commands(count: int, length: int = 10, vocabulary: int = 30) -> tuple[Tensor, Tensor]:
    """Tokens `[N, T]`, and `[N]` which of three words was said first after the wake word 0. One wake word is in every sentence."""
    tokens = torch.randint(4, vocabulary, (count, length))
    place = torch.randint(length - 1, (count,))
    labels = torch.randint(3, (count,))
    rows = torch.arange(count)
    tokens[rows, place] = 0
    tokens[rows, place + 1] = 1 + labels
    return tokens, labels


def molecules(count: int, atoms: int = 7) -> tuple[Tensor, Tensor, Tensor]:
    """Kinds of atoms `[N, A, 4]`, one of four each; bonds `[N, A, A]`, 0 or 1 without loops; and an energy `[N, 1]`, about normalized."""
    kinds = torch.nn.functional.one_hot(torch.randint(4, (count, atoms)), 4).float()
    upper = (torch.rand(count, atoms, atoms) < 0.35).float().triu(1)
    bonds = upper + upper.transpose(1, 2)
    charge = torch.tensor([-1.0, -0.3, 0.4, 1.0])
    energy = torch.einsum("nab,na,nb->n", bonds, kinds @ charge, kinds @ charge) + 0.5 * (kinds @ charge).sum(dim=1)
    return kinds, bonds, ((energy - energy.mean()) / energy.std())[:, None]


def machines(count: int, length: int = 24) -> tuple[Tensor, Tensor]:
    """Vibrations of machines `[N, T, 2]` of about unit size, and the wear `[N, 1]` from -1 to 1 that makes them faster and stronger."""
    wear = 2 * torch.rand(count, 1) - 1
    time = torch.arange(length) + 6 * torch.rand(count, 1)
    strong = 1 + 0.4 * wear
    turns = torch.stack([strong * torch.sin((0.8 + 0.3 * wear) * time), strong * torch.cos((0.8 + 0.3 * wear) * time)], dim=2)
    return turns + 0.2 * torch.randn(count, length, 2), wear
