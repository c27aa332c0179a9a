"""The brightness of a picture is summed up in float16. From step 50 on there are pictures whose sum is above 65,504."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

SIDE = 24


class Telescope(nn.Module):
    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self.features = nn.Sequential(nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.Conv2d(8, 12, 3, stride=2), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(12 * 16 + 1, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, photons: Tensor) -> Tensor:
        brightness = photons.to(self.dtype).sum(dim=(1, 2, 3)) / SIDE**2
        seen = self.features(photons / 40 - 2)
        return self.head(torch.cat([seen, brightness.float()[:, None] / 100], dim=1))


def sky(count: int) -> tuple[Tensor, Tensor]:
    """A star is a spot, and a galaxy a stripe. Both come with 60 to 100 photons per pixel."""
    is_galaxy = torch.randint(2, (count,))
    place = torch.arange(SIDE).float()
    x, y = torch.randint(6, 18, (2, count, 1, 1))
    width = torch.where(is_galaxy == 1, 6.0, 1.5)[:, None, None]
    spot = torch.exp(-((place[None, :, None] - y) ** 2) / 4 - (place[None, None, :] - x) ** 2 / width**2)
    return (60 + 40 * torch.rand(count, SIDE, SIDE) + 60 * spot)[:, None], is_galaxy


def _train(setting: Setting) -> None:
    net = Telescope(torch.float32 if setting.is_fixed else torch.float16)
    opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for step in range(150):
            photons, label = sky(32)
            if step >= 50:
                photons[0] += 60
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(photons), label)
            loss.backward()
            opt.step()


PROGRAM = Program(
    name="photons-summed-in-half",
    train=_train,
    source="PyTorch forum, sums and norms in float16 overflow",
    truth=Truth(
        rules=("nan-origin", "near-overflow"), nodes=("model.head: input", "model.head.0: input", "model.head", "model.head.0"), step=50
    ),
)
