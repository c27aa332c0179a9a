"""Patches of pictures go as [B, T, F] into a transformer layer that takes the first dimension for the sequence."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class PatchNet(nn.Module):
    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 7, stride=7)
        self.places = nn.Parameter(0.02 * torch.randn(4, 32))
        layer = nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, dropout=0.0, batch_first=batch_first)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 4)

    def forward(self, image: Tensor) -> Tensor:
        x = self.patches(image).flatten(2).transpose(1, 2) + self.places
        return self.head(self.encoder(x).mean(dim=1))


def _train(setting: Setting) -> None:
    images, angles = gratings(1000)
    model = PatchNet(batch_first=setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(120):
            rows = torch.randint(1000, (32,))
            loss = nn.functional.cross_entropy(model(images[rows]), angles[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="patches-attend-across-pictures",
    train=_train,
    source="Forum and GitHub issues on TransformerEncoderLayer without batch_first",
    truth=Truth(
        rules=("batch-as-sequence",),
        nodes=(
            "model.encoder",
            "model.encoder: output",
            *(f"model.encoder.layers.{n}{part}" for n in (0, 1) for part in ("", ": output", ".self_attn", ".self_attn: output[0]")),
        ),
    ),
)
