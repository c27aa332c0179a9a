"""A VAE whose loss is the sum over the pixels of a picture, as in the lower bound: values of a hundred, and a rate to match."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


class PictureVae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Flatten(), nn.Linear(144, 96), nn.ELU(), nn.Linear(96, 16))
        self.decode = nn.Sequential(nn.Linear(8, 96), nn.ELU(), nn.Linear(96, 144))

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(image).chunk(2, dim=1)
        code = mean + (log_variance / 2).exp() * torch.randn_like(mean)
        return self.decode(code), mean, log_variance


def _train(setting: Setting) -> None:
    images = digits(1500)[0]
    vae = PictureVae()
    optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
    with setting.watch(vae):
        for (image,) in batches(260, 64, images):
            drawn, mean, log_variance = vae(image)
            pixels = F.binary_cross_entropy_with_logits(drawn, image.flatten(1), reduction="sum")
            divergence = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum()
            loss = (pixels + divergence) / len(image)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="summed-over-a-picture", train=_train, source="Kingma and Welling 2014; pytorch/examples, vae")
