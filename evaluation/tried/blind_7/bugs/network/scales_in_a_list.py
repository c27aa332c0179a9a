"""Convolutions of three widths are kept in a Python list, so neither the module nor the optimizer knows them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Inception1d(nn.Module):
    def __init__(self, container: type[list[nn.Module]] | type[nn.ModuleList]) -> None:
        super().__init__()
        self.scales = container([nn.Conv1d(2, 8, width, padding=width // 2) for width in (3, 7, 15)])
        self.norm = nn.LayerNorm(24)
        self.fc = nn.Linear(24, 4)

    def forward(self, signal: Tensor) -> Tensor:
        peaks = torch.cat([conv(signal).relu().amax(dim=2) for conv in self.scales], dim=1)
        return self.fc(self.norm(peaks))


def heartbeats(count: int) -> tuple[Tensor, Tensor]:
    kind = torch.randint(4, (count,))
    time = torch.arange(48).float()
    start = torch.randint(5, 30, (count, 1)).float()
    width = 1.0 + 1.2 * kind[:, None]
    beat = torch.exp(-((time - start - 6) ** 2) / width**2)
    answer = torch.exp(-((time - start - 12) ** 2) / (5.5 - width) ** 2)
    return torch.stack([beat, answer], dim=1) + 0.25 * torch.randn(count, 2, 48), kind


def _train(setting: Setting) -> None:
    net = Inception1d(nn.ModuleList if setting.is_fixed else list)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for _ in range(220):
            signal, kind = heartbeats(48)
            loss = nn.functional.cross_entropy(net(signal), kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="scales-in-a-list",
    train=_train,
    source="PyTorch forum, parameters of modules in a list are not found; Humbatova et al. 2020, model: missing layers",
    truth=Truth(rules=("unregistered-modules", "not-in-optimizer", "never-updated"), nodes=("model",)),
)
