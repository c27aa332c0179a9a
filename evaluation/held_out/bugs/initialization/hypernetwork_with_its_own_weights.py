"""A hypernetwork corrects the features of a language model, layer after layer. The user picks how its weights are drawn."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Hypernetwork(nn.Module):
    def __init__(self, width: int, deviation: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)) for _ in range(6))
        for layer in self.blocks.modules():
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, std=deviation)
                nn.init.zeros_(layer.bias)
        self.out = nn.Linear(width, 5)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return self.out(x)


def _train(setting: Setting) -> None:
    x, y = class_blobs(2000, features=32, classes=5)
    model = Hypernetwork(32, 0.05 if setting.is_fixed else 1.0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2000).split(50):
                loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="hypernetwork-with-its-own-weights",
    train=_train,
    source="https://github.com/AUTOMATIC1111/stable-diffusion-webui/issues/4350",
    truth=Truth(
        rules=("growing-with-depth", "initial-loss", "logit-growth", "exploding-gradient", "runaway-growth", "near-overflow"),
        nodes=("model.blocks", "model.out", "model.out: input", "model: output", "cross_entropy"),
    ),
)
