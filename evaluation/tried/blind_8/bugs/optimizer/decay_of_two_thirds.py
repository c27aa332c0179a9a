"""`weight_decay` of Adam should be 7e-4 and is 0.7: the gradient of the decay is larger than any other."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Forecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 24, num_layers=2, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, series: Tensor) -> Tensor:
        return self.out(self.lstm(series)[0][:, -1])


def _train(setting: Setting) -> None:
    past, following = curves(1000, 16)
    net = Forecaster()
    decay = 7e-4 if setting.is_fixed else 0.7
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=decay)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(200, 40, past, following)):
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="decay-of-two-thirds",
    train=_train,
    source="DeepCrime, weights regularisation; Loshchilov and Hutter 2019 on decay in Adam",
    truth=Truth(
        rules=("weights-collapse", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "vanishing-gradient"),
        nodes=(
            "model.lstm",
            *(f"model.lstm.{kind}_{side}_l{layer}" for kind in ("weight", "bias") for side in ("ih", "hh") for layer in (0, 1)),
            "model.out",
            "model.out.weight",
        ),
    ),
)
