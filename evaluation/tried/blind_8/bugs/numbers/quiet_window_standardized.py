"""Every window is divided by its own deviation. From step 37 on there is a machine that stands still: zero divided by zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class Repeater(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(2, 24, batch_first=True)
        self.decoder = nn.Linear(24, 2)

    def forward(self, window: Tensor) -> Tensor:
        return self.decoder(self.encoder(window)[0])


def _train(setting: Setting) -> None:
    vibration = machines(900)[0]
    net = Repeater()
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    smallest = 1e-6 if setting.is_fixed else 0.0
    with setting.watch(net):
        for step in range(120):
            window = vibration[torch.randint(900, (30,))]
            if step >= 37:
                window[step % 30] = 0.25
            window = (window - window.mean(dim=1, keepdim=True)) / (window.std(dim=1, keepdim=True) + smallest)
            loss = nn.functional.mse_loss(net(window[:, :-1]), window[:, 1:])
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 30 == 29:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="quiet-window-standardized",
    train=_train,
    source="Stack Overflow, NaN after normalization of a constant column",
    truth=Truth(rules=("nan-origin",), nodes=("model: input window", "mse_loss: target"), step=37),
)
