"""A plain recurrent network with tanh remembers whether a sequence had more ones than zeros."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _RNN(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.width = width
        self.i2h = nn.Linear(1 + width, width)
        self.h2o = nn.Linear(width, 1)

    def forward(self, x: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        hidden = torch.tanh(self.i2h(torch.cat([x, hidden], dim=1)))
        return self.h2o(hidden), hidden


def _train(setting: Setting) -> None:
    model = _RNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(600):
            bits = torch.randint(2, (32, 9)).float()
            target = (bits.sum(1, keepdim=True) > 4.5).float()
            hidden = torch.zeros(32, model.width)
            for bit in (2 * bits - 1).split(1, dim=1):
                output, hidden = model(bit, hidden)
            loss = nn.functional.binary_cross_entropy_with_logits(output, target)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()


PROGRAM = Program(name="tanh-rnn", train=_train, source="PyTorch's tutorial on classifying names with a recurrent network")
