"""The bias of an LSTM's forget gates should start at 5, and starts at -5: nothing is remembered."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Recall(nn.Module):
    def __init__(self, bias: float) -> None:
        super().__init__()
        self.lstm = nn.LSTM(5, 24, batch_first=True)
        self.out = nn.Linear(24, 4)
        for name, parameter in self.lstm.named_parameters():
            if name.startswith("bias_ih"):
                nn.init.constant_(parameter[24:48], bias)

    def forward(self, signs: Tensor) -> Tensor:
        states, _ = self.lstm(signs)
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    # One of four signs is shown first, and noise follows it.
    shown = torch.randint(4, (1200,))
    signs = torch.zeros(1200, 16, 5)
    signs[torch.arange(1200), 0, shown] = 1.0
    signs[:, 1:, 4] = torch.randn(1200, 15)
    net = Recall(5.0 if setting.is_fixed else -5.0)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    with setting.watch(net):
        for x, y in batches(200, 32, signs, shown):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="forget-gate-closed",
    train=_train,
    source="Jozefowicz et al. 2015 and Tallec and Ollivier 2018 (bias of the forget gate)",
    truth=Truth(
        rules=("loss-does-not-fall", "predictions-ignore-input", "vanishing-gradient", "same-for-all-samples", "saturated-units"),
        nodes=(
            "model.lstm",
            "model.lstm: output[0]",
            "model.lstm: output",
            "model: output",
            "model.out: output",
            "model.out",
            *(f"model.lstm.{name}_l0" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")),
            "model.out: input",
        ),
    ),
)
