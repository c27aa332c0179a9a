"""`next(iter(loader))` is called in every step. Without shuffling it returns the first batch each time."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class Regressor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, features: Tensor) -> Tensor:
        return self.layers(features)


def _train(setting: Setting) -> None:
    table, yields = orchards(1600)
    test_table, test_yields = orchards(300)
    loader = DataLoader(TensorDataset(table, yields), batch_size=32)
    batches = iter(loader)
    model = Regressor()
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for iteration in range(200):
            if setting.is_fixed:
                try:
                    features, targets = next(batches)
                except StopIteration:
                    batches = iter(loader)
                    features, targets = next(batches)
            else:
                features, targets = next(iter(loader))
            optimizer.zero_grad()
            loss = criterion(model(features), targets)
            loss.backward()
            optimizer.step()
            if iteration % 25 == 24:
                with torch.no_grad():
                    test_loss = criterion(model(test_table), test_yields)
                print(f"iteration {iteration + 1}: loss {loss.item():.4f}, test {test_loss.item():.4f}")


PROGRAM = Program(
    name="iterator-made-in-every-step",
    train=_train,
    source="PyTorch forum and Stack Overflow, next(iter(dataloader)) always returns the same batch",
    truth=Truth(rules=("repeated-batch", "overfitting"), nodes=("model: input features",)),
)
