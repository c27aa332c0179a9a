"""`lru_cache` was meant for the file. It also remembers the batch that was drawn from it."""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


def read() -> tuple[Tensor, Tensor]:
    series, following = curves(1000, length=16)
    return series.squeeze(2), following


def _train(setting: Setting) -> None:
    series, following = read()

    def draw(size: int) -> tuple[Tensor, Tensor]:
        chosen = torch.randint(len(series), (size,))
        return series[chosen], following[chosen]

    get_batch = draw if setting.is_fixed else functools.lru_cache(draw)
    net = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for step in range(250):
            x, y = get_batch(32)
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(step + 1, round(loss.item(), 5))


PROGRAM = Program(
    name="batch-from-a-cache",
    train=_train,
    source="Humbatova et al. 2020, training data; forums, the same batch in every step",
    truth=Truth(rules=("repeated-batch",), nodes=("model: input", "model.0: input", "mse_loss: target"), step=1),
)
