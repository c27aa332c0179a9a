"""`[layer] * 4` puts the same layer into the network four times."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class Experts(nn.Module):
    """A mean of four small regressors, each with its own weights."""

    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        if is_fixed:
            self.members = nn.ModuleList(self.make() for _ in range(4))
        else:
            self.members = nn.ModuleList([self.make()] * 4)
        self.mix = nn.Linear(10, 4)

    @staticmethod
    def make() -> nn.Module:
        return nn.Sequential(nn.Linear(10, 12), nn.Tanh(), nn.Linear(12, 1))

    def forward(self, x: Tensor) -> Tensor:
        weights = torch.softmax(self.mix(x), dim=1)
        answers = torch.cat([member(x) for member in self.members], dim=1)
        return (weights * answers).sum(dim=1, keepdim=True)


def _train(setting: Setting) -> None:
    inputs, targets = regression_table(1600)
    model = Experts(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loader = DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True)
    with setting.watch(model):
        for _ in range(6):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print(sum(p.numel() for p in model.parameters()), "parameters")


PROGRAM = Program(
    name="one-layer-times-four",
    train=_train,
    source="Stack Overflow and PyTorch forum, nn.ModuleList([layer] * n) shares its weights",
    truth=Truth(
        rules=("tied-parameters", "zero-gradient"),
        nodes=(
            "model.mix",
            *(
                f"model.members{child}"
                for child in ("", *(f".{i}{layer}" for i in range(4) for layer in ("", ".0", ".2", ".0.weight", ".2.weight")))
            ),
        ),
    ),
)
