"""The strength of concrete from a standardized table, with layer normalization and a cosine schedule."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    mixes, strength = regression_table(count=2200, features=9)
    strength = strength + 0.1 * torch.randn(2200, 1)
    model = nn.Sequential(nn.Linear(9, 64), nn.LayerNorm(64), nn.SiLU(), nn.Linear(64, 64), nn.LayerNorm(64), nn.SiLU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
    with setting.watch(model):
        for _ in range(8):
            model.train()
            for chosen in torch.randperm(2000).split(50):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(mixes[chosen]), strength[chosen])
                loss.backward()
                optimizer.step()
            scheduler.step()
            model.eval()
            with torch.no_grad():
                valid = nn.functional.mse_loss(model(mixes[2000:]), strength[2000:])
            print("training", loss.item(), "validation", valid.item())


PROGRAM = Program(name="concrete-by-mlp", train=_train, source="UCI concrete strength, as tutorials on tabular regression do")
