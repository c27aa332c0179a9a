"""The closure for L-BFGS does not clear gradients, so its line search works with sums."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


def _train(setting: Setting) -> None:
    states = pendulums(200, 2)
    before, after = states[:, 0], states[:, 1]
    net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)

    def closure() -> Tensor:
        if setting.is_fixed:
            optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(before), after)
        loss.backward()
        return loss

    with setting.watch(net):
        for step in range(40):
            loss = optimizer.step(closure)
            if step % 10 == 0:
                print(step, loss.item())


PROGRAM = Program(
    name="closure-keeps-gradients",
    train=_train,
    source="PyTorch forum, L-BFGS diverges; closures without zero_grad",
    truth=Truth(
        rules=("gradients-left-over", "diverging-loss", "exploding-gradient", "updates-too-large", "runaway-growth", "nan-origin"),
    ),
)
