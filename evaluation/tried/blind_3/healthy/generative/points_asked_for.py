"""A conditional GAN with a hinge loss, where the discriminator has a higher rate and takes two steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import spectral_norm

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


class Generator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.kind = nn.Embedding(3, 8)
        self.layers = nn.Sequential(nn.Linear(12, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, noise: Tensor, kinds: Tensor) -> Tensor:
        return self.layers(torch.cat([noise, self.kind(kinds)], dim=1))


class Discriminator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            spectral_norm(nn.Linear(2, 64)), nn.LeakyReLU(0.1), spectral_norm(nn.Linear(64, 64)), nn.LeakyReLU(0.1)
        )
        self.out, self.kind = nn.Linear(64, 1), nn.Embedding(3, 64)

    def forward(self, points: Tensor, kinds: Tensor) -> Tensor:
        features = self.features(points)
        return self.out(features).squeeze(1) + (features * self.kind(kinds)).mean(dim=1)


def _train(setting: Setting) -> None:
    points, kinds = spirals(2000)
    model = nn.ModuleDict({"generator": Generator(), "discriminator": Discriminator()})
    slow = torch.optim.Adam(model["generator"].parameters(), lr=1e-3, betas=(0.0, 0.9))
    fast = torch.optim.Adam(model["discriminator"].parameters(), lr=4e-3, betas=(0.0, 0.9))
    with setting.watch(model):
        for _ in range(150):
            for _ in range(2):
                chosen = torch.randint(2000, (48,))
                with torch.no_grad():
                    fake = model["generator"](torch.randn(48, 4), kinds[chosen])
                real_score = model["discriminator"](points[chosen], kinds[chosen])
                loss = F.relu(1 - real_score).mean() + F.relu(1 + model["discriminator"](fake, kinds[chosen])).mean()
                fast.zero_grad()
                loss.backward()
                fast.step()
            asked = torch.randint(3, (48,))
            loss = -model["discriminator"](model["generator"](torch.randn(48, 4), asked), asked).mean()
            slow.zero_grad()
            loss.backward()
            slow.step()


PROGRAM = Program(name="points-asked-for", train=_train, source="Miyato and Koyama 2018 (projection discriminator); Heusel et al. 2017")
