"""The autoencoder ends with a sigmoid, and its inputs have mean 0 and deviation 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Autoencoder(nn.Module):
    def __init__(self, columns: int, activation: nn.Module) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(columns, 32), nn.ReLU(), nn.Linear(32, 4))
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, columns), activation)

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def _train(setting: Setting) -> None:
    hidden = torch.randn(2000, 3)
    table = torch.tanh(hidden @ torch.randn(3, 12)) * 4 + 20 + 0.2 * torch.randn(2000, 12)
    scaled = (table - table.mean(dim=0)) / table.std(dim=0)
    model = Autoencoder(12, nn.Identity() if setting.is_fixed else nn.Sigmoid())
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(4):
            for batch in scaled[torch.randperm(2000)].split(50):
                loss = nn.functional.mse_loss(model(batch), batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch + 1}: {loss.item():.4f}")


PROGRAM = Program(
    name="heights-squashed-into-a-sigmoid",
    train=_train,
    source="https://github.com/yzhao062/pyod/issues/314",
    truth=Truth(
        rules=("target-out-of-range", "saturated-units"),
        nodes=("model.decoder", "model: output", "mse_loss", "mse_loss: target", "model: input x"),
    ),
)
