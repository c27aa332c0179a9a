"""A recurrent network with ReLU reads 40 steps. Its recurrent weights are normal with deviation 1, and no gradient is clipped."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.RNN(1, 24, nonlinearity="relu", batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.rnn(x)
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    model = _Reader()
    init = nn.init.orthogonal_ if setting.is_fixed else nn.init.normal_
    for name, parameter in model.rnn.named_parameters():
        if name.startswith("weight_hh"):
            init(parameter)
    flow = torch.randn(900, 40, 1)
    level = torch.zeros(900, 1)
    for step in range(40):
        level = 0.8 * level + 0.6 * flow[:, step]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with setting.watch(model):
        for epoch in range(11):
            for index in torch.randperm(900).split(30):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(flow[index]), level[index])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="recurrence-that-explodes",
    train=_train,
    source="Zhang et al. 2021, AUTOTRAINER: exploding gradient in recurrent networks",
    truth=Truth(
        rules=(
            "exploding-gradient", "nan-origin", "initial-loss", "diverging-loss", "runaway-growth", "growing-with-depth", "near-overflow",
            "updates-too-large", "gradient-spike", "predictions-ignore-input", "loss-does-not-fall", "same-for-all-samples",
        )
    ),
)  # fmt: skip
