"""After each epoch, the test set goes through the network in training mode, and its batches enter the running statistics."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(10, 48)
        self.norm = nn.BatchNorm1d(48)
        self.outer = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(torch.relu(self.norm(self.inner(x))))


def evaluate(model: nn.Module, loader: DataLoader[tuple[Tensor, ...]]) -> float:
    with torch.no_grad():
        return sum(nn.functional.mse_loss(model(x), y).item() for x, y in loader) / len(loader)


def _train(setting: Setting) -> None:
    x, y = regression_table(1500)
    train = DataLoader(TensorDataset(x[:1200], y[:1200]), batch_size=40, shuffle=True)
    test = DataLoader(TensorDataset(x[1200:] + 0.5, y[1200:]), batch_size=50)
    model = Tower()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    testing_mode = not setting.is_fixed
    with setting.watch(model):
        for epoch in range(8):
            for a, b in train:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(a), b).backward()
                optimizer.step()
            model.train(testing_mode)
            print(f"epoch {epoch}: test {evaluate(model, test):.4f}")
            model.train()


PROGRAM = Program(
    name="tested-while-training",
    train=_train,
    source="PyTorch forum, no_grad is not eval; TrainCheck; Humbatova et al. 2020",
    truth=Truth(
        rules=("evaluation-in-training-mode", "evaluation-changes-buffers"),
        nodes=("model", "model.norm", "model.norm.running_mean", "model.norm.running_var", "model.norm.num_batches_tracked"),
    ),
)
