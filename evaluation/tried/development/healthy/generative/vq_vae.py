"""An autoencoder with a codebook: gradients pass it as if it were not there."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _Codebook(nn.Module):
    def __init__(self, codes: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(codes, width)
        nn.init.uniform_(self.embedding.weight, -0.5, 0.5)

    def forward(self, z: Tensor) -> tuple[Tensor, Tensor]:
        chosen = torch.cdist(z, self.embedding.weight).argmin(dim=-1)
        quantized = self.embedding(chosen)
        loss = nn.functional.mse_loss(quantized, z.detach()) + 0.25 * nn.functional.mse_loss(z, quantized.detach())
        return z + (quantized - z).detach(), loss


class _VQVAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 8, 1))
        self.codebook = _Codebook(32, 8)
        self.decoder = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.ConvTranspose2d(16, 1, 4, 2, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        z = self.encoder(x).permute(0, 2, 3, 1)
        quantized, loss = self.codebook(z)
        return self.decoder(quantized.permute(0, 3, 1, 2)), loss


def _train(setting: Setting) -> None:
    pictures = shapes(2048, size=8, noise=0.1).images
    model = _VQVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(2048).split(32):
                reconstruction, vq_loss = model(pictures[index])
                loss = nn.functional.mse_loss(reconstruction, pictures[index]) + vq_loss
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="vq-vae", train=_train, source="van den Oord et al. 2017", chose_thresholds=True)
