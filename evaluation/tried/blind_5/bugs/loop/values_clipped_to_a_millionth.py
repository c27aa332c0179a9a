"""Each value of the gradient is clipped to a millionth before SGD makes its step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class _Next(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.RNN(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.rnn(x)[0][:, -1])


def _train(setting: Setting) -> None:
    inputs, targets = curves()
    model = _Next()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    limit = 1.0 if setting.is_fixed else 1e-6
    with setting.watch(model):
        for epoch in range(10):
            for chosen in torch.randperm(1000).split(40):
                loss = nn.functional.mse_loss(model(inputs[chosen]), targets[chosen])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_value_(model.parameters(), limit)
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="values-clipped-to-a-millionth",
    train=_train,
    source="PyTorch forum, proper way to do gradient clipping; AUTOTRAINER: slow convergence",
    truth=Truth(rules=("always-clipped", "updates-too-small", "loss-does-not-fall", "vanishing-gradient", "predictions-ignore-input")),
)
