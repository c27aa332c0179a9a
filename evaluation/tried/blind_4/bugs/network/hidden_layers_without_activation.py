"""Four linear layers follow each other, since the activations were forgotten, and so the network is linear."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class _Regressor(nn.Module):
    def __init__(self, activation: nn.Module) -> None:
        super().__init__()
        self.lin1 = nn.Linear(4, 40)
        self.lin2 = nn.Linear(40, 40)
        self.lin3 = nn.Linear(40, 20)
        self.lin4 = nn.Linear(20, 1)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        for layer in (self.lin1, self.lin2, self.lin3):
            x = self.activation(layer(x))
        return self.lin4(x)


def _train(setting: Setting) -> None:
    place = 2 * torch.rand(1500, 4) - 1
    height = torch.sin(3 * place[:, :1]) * torch.cos(3 * place[:, 1:2]) + place[:, 2:3] ** 2
    height = (height - height.mean()) / height.std()
    loader = DataLoader(TensorDataset(place, height), batch_size=30, shuffle=True)
    model = _Regressor(nn.Tanh() if setting.is_fixed else nn.Identity())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(10):
            total = 0.0
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(epoch, total / len(loader))


PROGRAM = Program(
    name="hidden-layers-without-activation",
    train=_train,
    source="Schoop et al. 2021, UMLAUT: no activation between layers; Gu et al. 2021, NeuraLint",
    truth=Truth(rules=("linear-after-linear", "loss-does-not-fall"), nodes=("model.lin1", "model.lin2", "model.lin3", "model.lin4")),
)
