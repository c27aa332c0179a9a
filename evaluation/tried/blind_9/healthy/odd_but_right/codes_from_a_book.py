"""An autoencoder whose codes are the nearest of a book. Gradients pass the choice as if it were not there."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class Book(nn.Module):
    def __init__(self, codes: int, width: int) -> None:
        super().__init__()
        self.codes = nn.Parameter(0.3 * torch.randn(codes, width))

    def forward(self, z: Tensor) -> tuple[Tensor, Tensor]:
        nearest = self.codes[torch.cdist(z.detach(), self.codes.detach()).argmin(dim=1)]
        loss = (nearest - z.detach()).square().mean() + 0.25 * (z - nearest.detach()).square().mean()
        return z + (nearest - z).detach(), loss


class VqAutoEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 16, 4, stride=4), nn.ReLU(), nn.Conv2d(16, 6, 1))
        self.book = Book(24, 6)
        self.decoder = nn.Sequential(nn.Conv2d(6, 16, 1), nn.ReLU(), nn.ConvTranspose2d(16, 1, 4, stride=4))

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        z = self.encoder(picture)
        flat, loss = self.book(z.permute(0, 2, 3, 1).reshape(-1, 6))
        count, _, height, width = z.shape
        return self.decoder(flat.view(count, height, width, 6).permute(0, 3, 1, 2)), loss


def _train(setting: Setting) -> None:
    masks = shapes(900).masks
    model = VqAutoEncoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(160):
            batch = masks[torch.randint(900, (32,))]
            rebuilt, book_loss = model(batch)
            error = nn.functional.mse_loss(rebuilt, batch)
            loss = error + book_loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 32 == 31:
                print(f"{step}: {error.item():.4f}, book {book_loss.item():.4f}")


PROGRAM = Program(name="codes-from-a-book", train=_train, source="van den Oord et al. 2017, VQ-VAE")
