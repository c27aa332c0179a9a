"""Ten layers with sigmoids: next to no gradient arrives at the first ones, and the loss stays at ln 2."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def deep_network(width: int, depth: int, activation: type[nn.Module]) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Linear(12, width), activation()]
    for _ in range(depth - 2):
        layers += [nn.Linear(width, width), activation()]
    return nn.Sequential(*layers, nn.Linear(width, 1))


def _train(setting: Setting) -> None:
    x, y = clients(1600)
    y_column = y.float().unsqueeze(1)
    model = deep_network(32, 10, nn.ReLU if setting.is_fixed else nn.Sigmoid)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(8):
            epoch_loss = 0.0
            for rows in torch.randperm(1600).split(50):
                optimizer.zero_grad()
                loss = criterion(model(x[rows]), y_column[rows])
                loss.backward()
                optimizer.step()
                epoch_loss += loss.item() / 32
            with torch.no_grad():
                chance = torch.sigmoid(model(x))
            print(f"epoch {epoch}: loss {epoch_loss:.4f}, chances from {chance.min().item():.3f} to {chance.max().item():.3f}")


PROGRAM = Program(
    name="sigmoid-network-of-ten-layers",
    train=_train,
    source="PyTorch forum and taourl.com/read-2391810, loss remains constant: gradients vanish in a deep network of sigmoids",
    truth=Truth(
        rules=("vanishing-gradient", "predictions-ignore-input", "same-for-all-samples"),
        nodes=("model.0", "model.0.weight", "model.2", "model.2.weight", "model.4"),
    ),
)
