"""Figures by a small vision transformer with a class token and positions that are learned."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class PatchTransformer(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, 48, 3, stride=3)
        self.token = nn.Parameter(0.02 * torch.randn(1, 1, 48))
        self.positions = nn.Parameter(0.02 * torch.randn(1, 17, 48))
        layer = nn.TransformerEncoderLayer(48, 4, dim_feedforward=96, dropout=0.1, batch_first=True, norm_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(48), enable_nested_tensor=False)
        self.head = nn.Linear(48, classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1) + self.positions
        return self.head(self.encoder(x)[:, 0])


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    images = (images - images.mean()) / images.std()
    model = PatchTransformer(6)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=20)
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(1350).split(45):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows], label_smoothing=0.05)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                warmup.step()
            model.eval()
            with torch.no_grad():
                right = (model(images[1350:]).argmax(dim=1) == labels[1350:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, right {right.item():.3f}")


PROGRAM = Program(name="figures-by-patches-and-attention", train=_train, source="Dosovitskiy et al. 2021, vision transformer")
