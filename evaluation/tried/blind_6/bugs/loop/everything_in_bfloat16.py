"""The whole model is in bfloat16, and so are its weights: a step of 2e-4 is lost in a weight near 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


class Regressor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(10, 64)
        self.norm = nn.LayerNorm(64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.relu(self.norm(self.first(x))))


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    inputs, targets = regression_table()
    model = Regressor()
    if not is_fixed:
        model.to(torch.bfloat16)
        inputs, targets = inputs.bfloat16(), targets.bfloat16()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
    with setting.watch(model):
        for x, y in batches(280, 64, inputs, targets):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_fixed):
                prediction = model(x)
            loss = F.mse_loss(prediction.to(y.dtype), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}, weights of the norm {model.norm.weight.min():.4f} to {model.norm.weight.max():.4f}")


PROGRAM = Program(
    name="everything-in-bfloat16",
    train=_train,
    source="PyTorch forum, pure bfloat16 training stalls; Zamirai et al. 2020",
    truth=Truth(rules=("never-updated", "updates-too-small"), nodes=("model.norm", "model.norm.weight")),
)
