"""A vector-quantized autoencoder with the straight-through gradient and a loss that moves the code words."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Quantized(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 6))
        self.words = nn.Embedding(16, 6)
        self.decoder = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 20))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        z = self.encoder(x)
        nearest = self.words(torch.cdist(z, self.words.weight).argmin(dim=1))
        return self.decoder(z + (nearest - z).detach()), z, nearest


def _train(setting: Setting) -> None:
    kinds = torch.randn(8, 20)
    sounds = kinds[torch.randint(8, (2500,))] + 0.3 * torch.randn(2500, 20)
    model = Quantized()
    with torch.no_grad():
        model.words.weight.copy_(model.encoder(sounds[:16]))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for (x,) in batches(250, 64, sounds):
            decoded, z, nearest = model(x)
            reconstruction = F.mse_loss(decoded, x)
            loss = reconstruction + F.mse_loss(nearest, z.detach()) + F.mse_loss(z, nearest.detach())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"reconstruction {reconstruction.item():.3f}, variance {sounds.var():.3f}")


PROGRAM = Program(name="codebook-of-eight", train=_train, source="van den Oord et al. 2017")
