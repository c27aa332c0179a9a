"""The hidden state of a GRU is the forecast, so it stays between -1 and 1; the targets go up to 4."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Load(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.encoder = nn.GRU(2, 32, batch_first=True)
        self.last = nn.Linear(32, 1) if is_fixed else nn.GRU(32, 1, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.encoder(x)
        if isinstance(self.last, nn.GRU):
            return self.last(states)[0][:, -1]
        return self.last(states[:, -1])


def _train(setting: Setting) -> None:
    # The sum of the loads of all machines that run, over ten steps.
    load = torch.rand(1500, 10)
    runs = (torch.rand(1500, 10) < 0.5).float()
    total = (load * runs).sum(dim=1, keepdim=True)
    x = torch.stack([load, runs], dim=2)
    model = Load(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step, (inputs, targets) in enumerate(batches(300, 32, x, total)):
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 0:
                print(f"{step:4d} {loss.item():.4f}")


PROGRAM = Program(
    name="hidden-state-as-forecast",
    train=_train,
    source="PyTorch forum, LSTM with hidden_size 1 as the output layer",
    truth=Truth(
        rules=("target-out-of-range", "saturated-units"),
        nodes=("model.last: output", "model: output", "model.last: output[0]", "model.last"),
    ),
)
