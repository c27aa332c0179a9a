"""The graph convolutions are kept in a Python list, so `parameters()` does not find them, and they stay random."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import molecules


class EnergyNet(nn.Module):
    def __init__(self, register: bool) -> None:
        super().__init__()
        layers = [nn.Linear(4, 10), nn.Linear(10, 10), nn.Linear(10, 10)]
        self.convolutions = nn.ModuleList(layers) if register else layers
        self.energy = nn.Linear(10, 1)

    def forward(self, kinds: Tensor, bonds: Tensor) -> Tensor:
        h = kinds
        for convolution in self.convolutions:
            h = torch.relu(convolution(h + bonds @ h))
        return self.energy(h.sum(dim=1))


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*molecules(1200)), batch_size=40, shuffle=True)
    net = EnergyNet(register=setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for epoch in range(8):
            total = 0.0
            for kinds, bonds, energy in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(net(kinds, bonds), energy)
                loss.backward()
                optimizer.step()
                total += loss.item() / len(loader)
            print(f"epoch {epoch}: {total:.3f}")


PROGRAM = Program(
    name="convolutions-in-a-list",
    train=_train,
    source="PyTorch forum, parameters of layers in a list",
    truth=Truth(rules=("unregistered-modules", "not-in-optimizer", "never-updated"), nodes=("model", "model.convolutions")),
)
