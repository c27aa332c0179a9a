"""The features are normalized in NumPy, which cuts the gradient of everything before."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, in_torch: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 32), nn.Tanh())
        self.regressor = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
        self.in_torch = in_torch

    def forward(self, x: Tensor) -> Tensor:
        features = self.encoder(x)
        if self.in_torch:
            features = features / features.norm(dim=1, keepdim=True)
        else:
            array = features.detach().numpy()
            features = torch.from_numpy(array / (array**2).sum(axis=1, keepdims=True) ** 0.5)
        return self.regressor(features)


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = Net(in_torch=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="numpy-round-trip",
    train=_train,
    source="PyTorch forum 82462",
    truth=Truth(
        rules=("cut-path", "no-gradient"), nodes=("model.encoder", "model.encoder.1: output", "model.encoder.0", "model.regressor: input")
    ),
)
