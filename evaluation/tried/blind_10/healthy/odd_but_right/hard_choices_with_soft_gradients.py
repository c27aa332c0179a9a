"""An autoencoder names each picture by four words out of eight, drawn by Gumbel noise: one-hot forwards, soft backwards."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Namer(nn.Module):
    def __init__(self, words: int = 8, length: int = 4) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Flatten(), nn.Linear(144, 96), nn.ReLU(), nn.Linear(96, words * length), nn.Unflatten(1, (length, words))
        )
        self.decoder = nn.Sequential(nn.Flatten(), nn.Linear(words * length, 96), nn.ReLU(), nn.Linear(96, 144))

    def forward(self, image: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
        logits = self.encoder(image)
        words = nn.functional.gumbel_softmax(logits, tau=temperature, hard=True)
        return self.decoder(words).view_as(image), logits


def _train(setting: Setting) -> None:
    images, _ = digits(1500)
    model = Namer()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for step in range(200):
            image = images[torch.randint(1500, (48,))]
            drawn, logits = model(image, temperature=max(0.5, 1 - step / 200))
            reconstruction = nn.functional.binary_cross_entropy_with_logits(drawn, image)
            chances = logits.softmax(dim=2)
            divergence = (chances * (chances + 1e-9).log()).sum(dim=2).mean()
            loss = reconstruction + 1e-3 * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(name="hard-choices-with-soft-gradients", train=_train, source="Jang et al. 2017, straight-through Gumbel-Softmax")
