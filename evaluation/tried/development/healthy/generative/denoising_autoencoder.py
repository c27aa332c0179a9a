"""An autoencoder that removes noise and missing pixels."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    pictures = shapes(2048, size=12).masks.flatten(1)
    model = nn.Sequential(
        nn.Linear(144, 96),
        nn.ReLU(),
        nn.Linear(96, 24),
        nn.ReLU(),
        nn.Linear(24, 96),
        nn.ReLU(),
        nn.Linear(96, 144),
        nn.Sigmoid(),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.BCELoss()
    with setting.watch(model):
        for _ in range(25):
            for index in torch.randperm(2048).split(64):
                clean = pictures[index]
                noisy = (clean + 0.2 * torch.randn_like(clean)) * (torch.rand_like(clean) > 0.2)
                loss = criterion(model(noisy), clean)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="denoising-autoencoder", train=_train, source="Vincent et al. 2008")
