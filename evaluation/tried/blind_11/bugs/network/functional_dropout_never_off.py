"""`F.dropout(x, 0.5)` in `forward`, without `training=self.training`: it drops in evaluation as well."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as f

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class Yield(nn.Module):
    def __init__(self, respects_mode: bool) -> None:
        super().__init__()
        self.fc1 = nn.Linear(8, 128)
        self.fc2 = nn.Linear(128, 64)
        self.fc3 = nn.Linear(64, 1)
        self.respects_mode = respects_mode

    def forward(self, trees: Tensor) -> Tensor:
        on = self.training if self.respects_mode else True
        x = f.dropout(f.relu(self.fc1(trees)), 0.3, training=on)
        x = f.dropout(f.relu(self.fc2(x)), 0.3, training=on)
        return self.fc3(x)


def _train(setting: Setting) -> None:
    trees, harvest = orchards(1800)
    test_trees, test_harvest = orchards(300)
    model = Yield(respects_mode=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(1800).split(60):
                loss = f.mse_loss(model(trees[rows]), harvest[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                once, twice = model(test_trees), model(test_trees)
            error, gap = f.mse_loss(once, test_harvest).item(), (once - twice).abs().mean().item()
            print(f"epoch {epoch}: train {loss.item():.3f}, test {error:.3f}, two answers differ by {gap:.3f}")


PROGRAM = Program(
    name="functional-dropout-never-off",
    train=_train,
    source="PyTorch forum and Stack Overflow, F.dropout is on by default and does not follow model.eval()",
    truth=Truth(rules=("evaluation-in-training-mode",), nodes=("model", "model.fc2: input", "model.fc3: input")),
)
