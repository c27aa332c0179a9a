"""A plain recurrent network with ReLU reads 40 values and its gradient is not clipped: one step throws it far off."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def adding_problem(count: int, length: int) -> tuple[Tensor, Tensor]:
    values = torch.rand(count, length)
    marks = torch.zeros(count, length)
    rows = torch.arange(count)
    marks[rows, torch.randint(0, length // 2, (count,))] = 1
    marks[rows, torch.randint(length // 2, length, (count,))] = 1
    return torch.stack([values, marks], dim=2), (values * marks).sum(dim=1, keepdim=True)


class Adder(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.rnn = nn.RNN(2, hidden, nonlinearity="relu", batch_first=True)
        self.linear = nn.Linear(hidden, 1)
        with torch.no_grad():
            self.rnn.all_weights[0][1].copy_(0.95 * torch.eye(hidden))

    def forward(self, x: Tensor) -> Tensor:
        out, _ = self.rnn(x)
        return self.linear(out[:, -1])


def _train(setting: Setting) -> None:
    model = Adder(32)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
    max_norm = 1.0 if setting.is_fixed else float("inf")
    with setting.watch(model):
        for step in range(200):
            x, y = adding_problem(32, 40)
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            if step % 20 == 19 or step < 4:
                print(f"{step}: loss {loss.item():.4f}, norm of the gradient {norm.item():.3g}")


PROGRAM = Program(
    name="recurrent-network-without-clipping",
    train=_train,
    source="GitHub JusperLee/Dual-Path-RNN-Pytorch#13 and PyTorch forum, gradients of an RNN explode without clipping",
    truth=Truth(
        rules=("exploding-gradient", "gradient-spike", "diverging-loss"),
        nodes=("model.rnn", "model.rnn.weight_hh_l0", "model.rnn.weight_ih_l0", "model.rnn: output[0]", "model"),
    ),
)
