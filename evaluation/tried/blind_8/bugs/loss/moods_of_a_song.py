"""A song has several moods at once. Cross entropy shares one unit of probability among them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def songs(count: int) -> tuple[Tensor, Tensor]:
    """Spectra over time `[N, 8, 20]`, and which of six moods a song has `[N, 6]`: none to all."""
    moods = (torch.rand(count, 6) < 0.4).float()
    patterns = torch.randn(6, 8, 1).expand(6, 8, 20) * torch.sin(torch.arange(20) * torch.arange(1, 7)[:, None, None] * 0.4)
    return torch.einsum("nm,mft->nft", moods, patterns) + 0.3 * torch.randn(count, 8, 20), moods


def _train(setting: Setting) -> None:
    spectra, moods = songs(1300)
    net = nn.Sequential(nn.Conv1d(8, 32, 5), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(32, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(192, 6))
    one_each = setting.is_fixed
    criterion = nn.BCEWithLogitsLoss() if one_each else nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for x, y in batches(220, 40, spectra[:1000], moods[:1000]):
            loss = criterion(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        scores = net(spectra[1000:])
        chosen = ((scores.sigmoid() if one_each else scores.softmax(dim=1)) > 0.5).float()
        print(f"right {(chosen == moods[1000:]).float().mean():.3f}")


PROGRAM = Program(
    name="moods-of-a-song",
    train=_train,
    source="PyTorch forum, multi-label classification with CrossEntropyLoss",
    truth=Truth(
        rules=("softmax-for-several-labels",),
        nodes=("cross_entropy", "cross_entropy: target", "model.6", "model.6: output"),
    ),
)
