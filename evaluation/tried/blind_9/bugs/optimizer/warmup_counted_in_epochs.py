"""A warm-up of 300 steps begins with a two-thousandth of the rate, and `scheduler.step()` is called once per epoch. It never warms up."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import graphs


class Convolution(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.self_loop = nn.Linear(inputs, outputs)
        self.neighbours = nn.Linear(inputs, outputs, bias=False)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        return torch.relu(self.self_loop(nodes) + adjacency @ self.neighbours(nodes))


class GraphNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = Convolution(4, 24), Convolution(24, 24)
        self.readout = nn.Linear(24, 2)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        nodes = self.conv2(self.conv1(nodes, adjacency), adjacency)
        return self.readout(nodes.mean(dim=1))


def _train(setting: Setting) -> None:
    data = graphs(1200)
    loader = DataLoader(TensorDataset(data.features, data.adjacency, data.labels), batch_size=40, shuffle=True)
    model = GraphNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.0005, total_iters=300)
    per_batch = setting.is_fixed
    with setting.watch(model):
        for epoch in range(8):
            for features, adjacency, labels in loader:
                loss = nn.functional.cross_entropy(model(features, adjacency), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if per_batch:
                    scheduler.step()
            if not per_batch:
                scheduler.step()
            print(f"epoch {epoch}: {loss.item():.3f}, rate {scheduler.get_last_lr()[0]:.2g}")


PROGRAM = Program(
    name="warmup-counted-in-epochs",
    train=_train,
    source="GitHub issues on schedulers that count steps and are called per epoch",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
