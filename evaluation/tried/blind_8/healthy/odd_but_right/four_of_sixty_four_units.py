"""An autoencoder keeps the four strongest of 64 units and sets the others to 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class TopK(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(24, 64)
        self.decode = nn.Linear(64, 24)

    def forward(self, x: Tensor) -> Tensor:
        features = torch.relu(self.encode(x - self.decode.bias))
        strongest = features.topk(4, dim=1)
        return self.decode(torch.zeros_like(features).scatter(1, strongest.indices, strongest.values))


def _train(setting: Setting) -> None:
    parts = nn.functional.normalize(torch.randn(40, 24), dim=1)
    net = TopK()
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for _ in range(300):
            amounts = (torch.rand(64, 40) < 0.07).float() * (0.5 + torch.rand(64, 40))
            x = amounts @ parts
            loss = nn.functional.mse_loss(net(x), x) * 24
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="four-of-sixty-four-units", train=_train, source="Makhzani and Frey 2014; Gao et al. 2024")
