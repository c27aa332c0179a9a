"""The last dimension of a forecast is kept: (B, 1) is compared with (B,) in a smooth L1 loss."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class Tide(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.RNN(1, 24, batch_first=True)
        self.dense = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        _, last = self.rnn(x)
        return self.dense(last[0])


def _train(setting: Setting) -> None:
    warnings.filterwarnings("ignore", message="Using a target size")
    hours = torch.arange(1400)
    level = torch.sin(hours * 0.507) + 0.5 * torch.sin(hours * 0.262 + 1) + 0.05 * torch.randn(1400)
    windows = level.unfold(0, 15, 1)
    data = TensorDataset(windows[:, :14, None], windows[:, 14])
    loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True)
    model = Tide()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.SmoothL1Loss()
    with setting.watch(model):
        for epoch in range(6):
            losses = []
            for x, y in loader:
                prediction = model(x)
                target = y.unsqueeze(1) if setting.is_fixed else y
                loss = criterion(prediction, target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")


PROGRAM = Program(
    name="huber-of-a-column",
    train=_train,
    source="PyTorch warning 'Using a target size that is different to the input size'",
    truth=Truth(rules=("broadcast-in-loss",), nodes=("model.dense: output", "model: output")),
)
