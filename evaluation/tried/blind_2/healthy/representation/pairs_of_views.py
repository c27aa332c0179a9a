"""SimCLR's loss on noisy views of patterns, with a projection head and BatchNorm."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


def nt_xent(a: Tensor, b: Tensor, temperature: float) -> Tensor:
    z = F.normalize(torch.cat([a, b]), dim=1)
    similarity = (z @ z.T / temperature).fill_diagonal_(-1e9)
    count = len(a)
    partner = torch.cat([torch.arange(count, 2 * count), torch.arange(count)])
    return F.cross_entropy(similarity, partner)


def distort(x: Tensor) -> Tensor:
    gain = 0.7 + 0.6 * torch.rand(len(x), 1, 1, 1)
    return gain * x * (torch.rand_like(x) > 0.15) + 0.1 * torch.randn_like(x)


def _train(setting: Setting) -> None:
    images, _ = digits(1200, classes=6, size=10)
    images = (images - images.mean()) / images.std()
    encoder = nn.Sequential(nn.Conv2d(1, 12, 3, stride=2), nn.BatchNorm2d(12), nn.ReLU(), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.Flatten())
    projector = nn.Sequential(nn.Linear(96, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 16))
    model = nn.Sequential(encoder, projector)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
    with setting.watch(model):
        for step in range(220):
            batch = images[torch.randint(len(images), (48,))]
            loss = nt_xent(model(distort(batch)), model(distort(batch)), temperature=0.3)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(name="pairs-of-views", train=_train, source="Chen et al. 2020 (SimCLR)")
