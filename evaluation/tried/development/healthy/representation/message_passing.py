"""Messages along edges, added up with index_add, predict a property of small random graphs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.message = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU())
        self.update = nn.GRUCell(width, width)

    def forward(self, h: Tensor, source: Tensor, target: Tensor) -> Tensor:
        messages = self.message(torch.cat([h[source], h[target]], dim=1))
        return self.update(torch.zeros_like(h).index_add(0, target, messages), h)


class _Network(nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.encode = nn.Linear(3, width)
        self.layers = nn.ModuleList(_Layer(width) for _ in range(2))
        self.readout = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x: Tensor, source: Tensor, target: Tensor, graph: Tensor, count: int) -> Tensor:
        h = self.encode(x)
        for layer in self.layers:
            h = layer(h, source, target)
        pooled = torch.zeros(count, h.shape[1]).index_add(0, graph, h)
        return self.readout(pooled / (len(x) / count)).squeeze(1)


def _batch(count: int, nodes: int = 8) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    kinds = torch.randint(3, (count, nodes))
    adjacency = torch.rand(count, nodes, nodes) < 0.25
    adjacency = (adjacency | adjacency.transpose(1, 2)) & ~torch.eye(nodes, dtype=torch.bool)
    graph, source, target = torch.where(adjacency)
    same = (adjacency & (kinds[:, :, None] == kinds[:, None, :])).sum((1, 2)).float()
    x = nn.functional.one_hot(kinds, 3).float().flatten(0, 1)
    return x, graph * nodes + source, graph * nodes + target, torch.arange(count).repeat_interleave(nodes), (same - 5) / 4


def _train(setting: Setting) -> None:
    model = _Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(700):
            x, source, target, graph, wanted = _batch(32)
            loss = nn.functional.mse_loss(model(x, source, target, graph, 32), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="message-passing", train=_train, source="Gilmer et al. 2017", chose_thresholds=True)
