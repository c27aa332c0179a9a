"""A large table of embeddings with sparse gradients and an optimizer of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Songs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.song = nn.EmbeddingBag(1000, 16, mode="mean", sparse=True)
        self.mood = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, playlist: Tensor) -> Tensor:
        return self.mood(self.song(playlist))


def _train(setting: Setting) -> None:
    mood = torch.randint(3, (1500,))
    # Playlists mostly hold songs of their mood.
    playlists = (torch.randint(333, (1500, 20)) * 3 + mood[:, None] + (torch.rand(1500, 20) < 0.4)) % 1000
    model = Songs()
    sparse = torch.optim.SparseAdam(model.song.parameters(), lr=1e-2)
    dense = torch.optim.Adam(model.mood.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(200, 50, playlists, mood):
            loss = nn.functional.cross_entropy(model(x), y)
            sparse.zero_grad()
            dense.zero_grad()
            loss.backward()
            sparse.step()
            dense.step()


PROGRAM = Program(name="sparse-gradients", train=_train, source="PyTorch documentation of SparseAdam")
