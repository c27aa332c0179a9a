"""One long series is read in order, and the state of the LSTM is carried on, without its gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Carrying(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        read, state = self.rnn(x, state)
        return self.out(read), state


def _train(setting: Setting) -> None:
    steps, rows = 160, 12
    time = torch.arange(steps * 15 + 1).float() + 900 * torch.rand(rows, 1)
    series = torch.sin(time / 5) * (1 + 0.3 * torch.sin(time / 37)) + 0.05 * torch.randn(rows, steps * 15 + 1)
    net = Carrying()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    state = None
    with setting.watch(net):
        for step in range(steps):
            part = series[:, step * 15 : step * 15 + 16, None]
            guess, (h, c) = net(part[:, :-1], state)
            state = (h.detach(), c.detach())
            loss = nn.functional.mse_loss(guess, part[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_value_(net.parameters(), 0.5)
            optimizer.step()


PROGRAM = Program(name="memory-carried-along", train=_train, source="Williams and Peng 1990; PyTorch examples, word_language_model")
