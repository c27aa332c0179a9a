"""A pixel shows a mixture of minerals. Two convolutions estimate how much of each mineral there is."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class MiSiCNet(nn.Module):
    def __init__(self, bands: int, minerals: int, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.layer1 = nn.Sequential(nn.Conv2d(bands, 32, 3, padding=1), nn.BatchNorm2d(32), nn.LeakyReLU(0.1))
        self.layer2 = nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.LeakyReLU(0.1))
        self.layer3 = nn.Conv2d(32, minerals, 1)
        self.endmembers = nn.Conv2d(minerals, bands, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        h = self.layer1(x)
        if self.is_fixed:
            h = self.layer2(h)
        abundances = torch.softmax(self.layer3(h), dim=1)
        return self.endmembers(abundances)


def _train(setting: Setting) -> None:
    spectra = torch.rand(4, 20)
    rough = torch.nn.functional.avg_pool2d(torch.randn(240, 4, 18, 18), 5, stride=1, padding=0)
    abundances = torch.softmax(6 * rough, dim=1)
    images = torch.einsum("nmhw,mb->nbhw", abundances, spectra) + 0.03 * torch.randn(240, 20, 14, 14)
    model = MiSiCNet(20, 4, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(240).split(12):
                loss = nn.functional.mse_loss(model(images[rows]), images[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="minerals-in-mixed-pixels",
    train=_train,
    source="https://github.com/inria-thoth/HySUPP/issues/3",
    truth=Truth(rules=("no-gradient",), nodes=("model.layer2", "model.layer1: output", "model.layer3: input")),
)
