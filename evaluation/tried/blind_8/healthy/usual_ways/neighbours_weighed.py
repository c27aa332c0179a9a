"""Graph attention over bonded atoms, with self-loops and two heads, for an energy."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.series_and_tables import molecules


class Attending(nn.Module):
    def __init__(self, ins: int, outs: int) -> None:
        super().__init__()
        self.lift = nn.Linear(ins, outs)
        self.sends, self.receives = nn.Linear(outs, 2), nn.Linear(outs, 2)
        self.own = nn.Linear(ins, outs)

    def forward(self, x: Tensor, bonds: Tensor) -> Tensor:
        h = self.lift(x)
        score = nn.functional.leaky_relu(self.receives(h)[:, :, None] + self.sends(h)[:, None], 0.2)
        apart = (bonds + torch.eye(bonds.shape[1]) == 0)[..., None]
        share = score.masked_fill(apart, float("-inf")).softmax(dim=2)
        mixed = torch.einsum("nabk,nbkf->nakf", share, h.unflatten(2, (2, -1))).flatten(2)
        return torch.nn.functional.elu(mixed * (1 + bonds.sum(dim=2, keepdim=True)) / 3 + self.own(x))


class GraphNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Attending(4, 32), Attending(32, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, kinds: Tensor, bonds: Tensor) -> Tensor:
        return self.out(self.second(self.first(kinds, bonds), bonds).sum(dim=1))


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*molecules(1600)), batch_size=40, shuffle=True)
    net = GraphNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(5):
            for kinds, bonds, energy in loader:
                loss = nn.functional.mse_loss(net(kinds, bonds), energy)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="neighbours-weighed", train=_train, source="Velickovic et al. 2018")
