"""The vectors of a contrastive loss are not normalized. Their products are divided by 0.07 and are in the hundreds from the start."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def tower(inside: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inside, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, 48), nn.BatchNorm1d(48))


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.song = tower(30)
        self.cover = tower(18)

    def forward(self, songs: Tensor, covers: Tensor) -> tuple[Tensor, Tensor]:
        return self.song(songs), self.cover(covers)


def info_nce(a: Tensor, b: Tensor, temperature: float = 0.07) -> Tensor:
    return nn.functional.cross_entropy(a @ b.T / temperature, torch.arange(len(a)))


def _train(setting: Setting) -> None:
    style = torch.randn(2400, 6)
    songs = style @ torch.randn(6, 30) + 0.5 * torch.randn(2400, 30)
    covers = style @ torch.randn(6, 18) + 0.5 * torch.randn(2400, 18)
    model = Pair()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randperm(2400)[:48]
            a, b = model(songs[rows], covers[rows])
            if setting.is_fixed:
                a, b = nn.functional.normalize(a, dim=1), nn.functional.normalize(b, dim=1)
            loss = info_nce(a, b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="not-brought-to-unit-length",
    train=_train,
    source="GitHub issues on contrastive losses without normalization of the embeddings",
    truth=Truth(
        rules=("initial-loss", "logit-growth", "growing-with-depth"),
        nodes=(
            "cross_entropy",
            "div",
            "matmul",
            "mm",
            "model: output[0]",
            "model: output[1]",
            "model.song",
            "model.cover",
            *(f"model.{side}.{layer}{part}" for side in ("song", "cover") for layer in (3, 4) for part in ("", ": output")),
        ),
    ),
)
