"""A layer norm over the last dimension normalizes a single score: it is 0 for every sample."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class Wear(nn.Module):
    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.conv = nn.Conv1d(2, 16, 5)
        self.squeeze = nn.Linear(16 * 20, 1)
        self.norm = norm
        self.expand = nn.Linear(1, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, vibration: Tensor) -> Tensor:
        x = torch.relu(self.conv(vibration.transpose(1, 2))).flatten(1)
        x = self.norm(self.squeeze(x))
        return self.out(torch.tanh(self.expand(x)))


def _train(setting: Setting) -> None:
    vibration, wear = machines(1000)
    model = Wear(nn.BatchNorm1d(1) if setting.is_fixed else nn.LayerNorm(1))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randint(1000, (32,))
            loss = nn.functional.mse_loss(model(vibration[rows]), wear[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="norm-of-a-single-number",
    train=_train,
    source="PyTorch forum, LayerNorm over a dimension of size 1 gives zeros; Cao et al. 2022",
    truth=Truth(
        rules=("same-for-all-samples", "zero-gradient", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=(
            "model.norm",
            "model.norm: output",
            "model.squeeze",
            "model.conv",
            "model.out",
            "model.squeeze.weight",
            "model.conv.weight",
        ),
    ),
)
