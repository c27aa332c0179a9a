"""One-dimensional convolutions with group normalization tell four kinds of waves apart; the data loader drops the last batch."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    kinds = torch.randint(0, 4, (1250,))
    phase = 6.283 * (torch.rand(1250, 1) + (2 + torch.rand(1250, 1)) * torch.arange(64) / 64)
    shapes = torch.stack([phase.sin(), phase.sin().sign(), 2 / 3.1416 * phase.sin().asin(), (phase / 6.283) % 1 * 2 - 1], dim=1)
    waves = shapes[torch.arange(1250), kinds] + 0.2 * torch.randn(1250, 64)
    loader = DataLoader(TensorDataset(waves[:1050, None], kinds[:1050]), batch_size=32, shuffle=True, drop_last=True)
    model = nn.Sequential(
        nn.Conv1d(1, 16, 5, stride=2),
        nn.GroupNorm(4, 16),
        nn.ReLU(),
        nn.Conv1d(16, 32, 5, stride=2),
        nn.GroupNorm(4, 32),
        nn.ReLU(),
        nn.AdaptiveMaxPool1d(1),
        nn.Flatten(),
        nn.Linear(32, 4),
    )
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(10):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print(epoch, loss.item(), (model(waves[1050:, None]).argmax(1) == kinds[1050:]).float().mean().item())


PROGRAM = Program(
    name="waves-by-strided-convolutions", train=_train, source="Wu and He 2018: group normalization; convolutions on raw signals"
)
