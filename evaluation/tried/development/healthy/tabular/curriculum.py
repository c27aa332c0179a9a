"""Easy samples come first: samples close to the border are added over the run."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(4000, 6)
    margin = x[:, 0] * x[:, 1] + x[:, 2]
    classes = (margin > 0).float()
    easy_first = margin.abs().argsort(descending=True)
    model = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    epochs = 16
    with setting.watch(model):
        for epoch in range(epochs):
            share = min(1.0, 0.3 + 0.7 * epoch / (0.75 * epochs))
            chosen = easy_first[: int(share * 4000)]
            for index in chosen[torch.randperm(len(chosen))].split(50):
                loss = nn.functional.binary_cross_entropy_with_logits(model(x[index]).squeeze(1), classes[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="curriculum", train=_train, source="Bengio et al. 2009: curriculum learning")
