"""A layer takes the variance as the mean of squares less the square of the mean. Bright pictures from step 62 on make it negative."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class ShortNorm(nn.Module):
    def __init__(self, center_first: bool) -> None:
        super().__init__()
        self.center_first = center_first

    def forward(self, x: Tensor) -> Tensor:
        if self.center_first:
            x = x - x.mean(dim=(2, 3), keepdim=True)
        mean = x.mean(dim=(2, 3), keepdim=True)
        variance = (x**2).mean(dim=(2, 3), keepdim=True) - mean**2
        return (x - mean) / torch.sqrt(variance + 1e-5)


def _train(setting: Setting) -> None:
    images, angles = gratings(1000, noise=0.2)
    net = nn.Sequential(
        ShortNorm(center_first=setting.is_fixed),
        nn.Conv2d(3, 12, 5, stride=2),
        nn.ReLU(),
        nn.Conv2d(12, 16, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 9, 4),
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for step in range(140):
            chosen = torch.randint(1000, (32,))
            image = images[chosen]
            if step >= 62:
                image = image + 30000
            loss = nn.functional.cross_entropy(net(image), angles[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 28 == 27:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="variance-below-zero",
    train=_train,
    source="Chan et al. 1983 on computing variances; GitHub issues on norms in one pass",
    truth=Truth(rules=("nan-origin",), nodes=("model.0", "model.0: output"), step=62),
)
