"""Several tags per piece, each with its own sigmoid, and rarer tags with more weight."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    rates = torch.tensor([0.5, 0.35, 0.2, 0.12])
    tags = (torch.rand(1500, 4) < rates).float()
    features = tags @ torch.randn(4, 20) + 0.9 * torch.randn(1500, 20)
    model = nn.Sequential(nn.Linear(20, 48), nn.LayerNorm(48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    weight = ((1 - rates) / rates).sqrt()
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.binary_cross_entropy_with_logits(model(features[rows]), tags[rows], pos_weight=weight)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = ((model(features[1200:]) > 0) == tags[1200:].bool()).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, right {right.item():.3f}")


PROGRAM = Program(name="genres-with-several-tags", train=_train, source="A usual classifier for several labels")
