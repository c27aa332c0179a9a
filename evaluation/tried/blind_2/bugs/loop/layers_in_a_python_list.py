"""The hidden layers stand in a plain Python list, so `parameters()` does not know them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class DeepSet(nn.Module):
    def __init__(self, width: int, depth: int, is_fixed: bool) -> None:
        super().__init__()
        layers = [nn.Linear(3 if i == 0 else width, width) for i in range(depth)]
        self.layers = nn.ModuleList(layers) if is_fixed else layers
        self.readout = nn.Linear(width, 1)

    def forward(self, points: Tensor) -> Tensor:
        h = points
        for layer in self.layers:
            h = torch.relu(layer(h))
        return self.readout(h.mean(dim=1)).squeeze(-1)


def _train(setting: Setting) -> None:
    # How far the points of a cloud lie from the axis, on average.
    clouds = torch.randn(1500, 12, 3) * (0.4 + torch.rand(1500, 1, 1))
    target = (clouds[:, :, 0] ** 2 + clouds[:, :, 1] ** 2).sqrt().mean(dim=1)
    target = (target - target.mean()) / target.std()
    loader = DataLoader(TensorDataset(clouds, target), batch_size=50, shuffle=True)
    model = DeepSet(32, 3, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(10):
            total = 0.0
            for cloud, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.smooth_l1_loss(model(cloud), y)
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(loader):.4f}")


PROGRAM = Program(
    name="layers-in-a-python-list",
    train=_train,
    source="Stack Overflow and PyTorch forum, list of layers instead of nn.ModuleList",
    truth=Truth(rules=("not-in-optimizer", "never-updated", "gradients-left-over")),
)
