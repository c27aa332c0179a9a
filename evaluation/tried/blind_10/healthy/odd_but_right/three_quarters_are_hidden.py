"""An autoencoder sees a quarter of the patches of each picture, and paints the others. Its loss counts what it did not see."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Painter(nn.Module):
    def __init__(self, width: int = 48, patches: int = 16) -> None:
        super().__init__()
        self.embed = nn.Linear(9, width)
        self.places = nn.Parameter(0.02 * torch.randn(patches, width))
        self.encoder = nn.TransformerEncoderLayer(width, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.hidden = nn.Parameter(torch.zeros(width))
        self.decoder = nn.TransformerEncoderLayer(width, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.paint = nn.Linear(width, 9)

    def forward(self, patches: Tensor, order: Tensor) -> Tensor:
        seen = order[:, :4, None]
        x = self.embed(patches) + self.places
        x = self.encoder(x.gather(1, seen.expand(-1, -1, x.shape[2])))
        full = self.hidden.expand(len(x), len(self.places), -1).scatter(1, seen.expand_as(x), x)
        return self.paint(self.decoder(full + self.places))


def waves(count: int) -> Tensor:
    """Pictures `[N, 1, 12, 12]` of wide waves in all directions."""
    line = torch.linspace(-1, 1, 12)
    across, down, phase = 1.5 * torch.randn(3, count, 1, 1)
    return 1.4 * torch.sin(across * line + down * line[:, None] + phase)[:, None]


def _train(setting: Setting) -> None:
    images = waves(1500)
    patches = images.unfold(2, 3, 3).unfold(3, 3, 3).reshape(1500, 16, 9)
    model = Painter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(200):
            batch = patches[torch.randint(1500, (32,))]
            order = torch.rand(32, 16).argsort(dim=1)
            is_hidden = torch.ones(32, 16).scatter(1, order[:, :4], 0)
            error = (model(batch, order) - batch).square().mean(dim=2)
            loss = (error * is_hidden).sum() / is_hidden.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="three-quarters-are-hidden", train=_train, source="He et al. 2022, masked autoencoders")
