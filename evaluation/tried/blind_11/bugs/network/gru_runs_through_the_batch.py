"""Windows of vibrations are `[batch, time, 2]`, the GRU takes the first dimension for time."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class Wear(nn.Module):
    def __init__(self, **options: bool) -> None:
        super().__init__()
        self.gru = nn.GRU(input_size=2, hidden_size=32, num_layers=1, **options)
        self.regressor = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, window: Tensor) -> Tensor:
        states, _ = self.gru(window)
        return self.regressor(states[:, -1])


def _train(setting: Setting) -> None:
    windows, wear = machines(1500)
    options = {"batch_first": True} if setting.is_fixed else {}
    train_loader = DataLoader(TensorDataset(windows[:1200], wear[:1200]), batch_size=40, shuffle=True)
    model = Wear(**options)
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for x_batch, y_batch in train_loader:
                loss = criterion(model(x_batch), y_batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                valid = criterion(model(windows[1200:]), wear[1200:]).item()
            print(f"Epoch {epoch}: train loss {loss.item():.4f}, validation loss {valid:.4f}")


PROGRAM = Program(
    name="gru-runs-through-the-batch",
    train=_train,
    source="PyTorch forum, time series GRU that predicts no better than the mean: batch_first was not set",
    truth=Truth(rules=("batch-as-sequence",), nodes=("model.gru", "model: input window", "model.gru: output[0]")),
)
