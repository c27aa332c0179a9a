"""Satellite images are sharpened in the space of wavelets, which are computed with the tools of another library."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


def _haar_of_arrays(x: Tensor) -> Tensor:
    array = x.detach().numpy()
    a, b, c, d = array[..., ::2, ::2], array[..., ::2, 1::2], array[..., 1::2, ::2], array[..., 1::2, 1::2]
    bands = np.concatenate([a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d], axis=1)
    return torch.from_numpy(bands / 2)


def _haar_of_tensors(x: Tensor) -> Tensor:
    a, b, c, d = x[..., ::2, ::2], x[..., ::2, 1::2], x[..., 1::2, ::2], x[..., 1::2, 1::2]
    return torch.cat([a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d], dim=1) / 2


class STFN(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
        self.wavelets = _haar_of_tensors if is_fixed else _haar_of_arrays
        self.decoder = nn.Sequential(nn.Conv2d(32, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 4, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, coarse: Tensor) -> Tensor:
        return self.decoder(self.wavelets(self.encoder(coarse)))


def _train(setting: Setting) -> None:
    _, masks = outlines(480)
    fine = masks[:, None]
    coarse = nn.functional.avg_pool2d(fine, 5, stride=1, padding=2) + 0.05 * torch.randn_like(fine)
    model = STFN(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(480).split(16):
                loss = nn.functional.mse_loss(model(coarse[rows]), fine[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="satellite-images-by-wavelets",
    train=_train,
    source="https://github.com/lixinghua5540/ECPW-STFN/issues/2",
    truth=Truth(
        rules=("cut-path", "no-gradient"),
        nodes=("model.encoder", "model.decoder: input", "model.decoder.0: input", "detach"),
    ),
)
