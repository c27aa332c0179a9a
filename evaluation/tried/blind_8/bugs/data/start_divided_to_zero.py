"""The first index of a batch is computed as `step // len(data) * size`, which is 0 in every step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class WearNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(2, 24, batch_first=True)
        self.head = nn.Linear(24, 1)

    def forward(self, vibration: Tensor) -> Tensor:
        return self.head(self.lstm(vibration)[0][:, -1])


def _train(setting: Setting) -> None:
    vibration, wear = machines(960)
    test, wear_of_test = vibration[800:], wear[800:]
    size, count = 8, 800
    net = WearNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    with setting.watch(net):
        for step in range(200):
            start = (step * size) % count if setting.is_fixed else step // count * size
            loss = nn.functional.mse_loss(net(vibration[start : start + size]), wear[start : start + size])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                with torch.no_grad():
                    print(f"step {step}: test {nn.functional.mse_loss(net(test), wear_of_test):.4f}")


PROGRAM = Program(
    name="start-divided-to-zero",
    train=_train,
    source="Islam et al. 2019, data bugs; Stack Overflow, the loss of validation stays while training falls",
    truth=Truth(rules=("repeated-batch",), nodes=("model: input vibration", "mse_loss: target")),
)
