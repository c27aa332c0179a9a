"""Gradients are clipped to a norm of 1 while the `GradScaler` still has them multiplied by 65536. Hardly anything is left."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 12, 5, stride=2)
        self.conv2 = nn.Conv2d(12, 16, 3)
        self.fc = nn.Linear(16 * 9, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.gelu(self.conv1(x))
        x = nn.functional.gelu(self.conv2(x))
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    images, angles = gratings(1000)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)
    with setting.watch(net):
        for step in range(130):
            rows = torch.randint(1000, (32,))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(net(images[rows]), angles[rows])
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            if setting.is_fixed:
                scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            if step % 26 == 25:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="clipped-while-scaled",
    train=_train,
    source="PyTorch documentation, automatic mixed precision examples: unscale before clipping",
    truth=Truth(rules=("always-clipped", "updates-too-small", "loss-does-not-fall", "vanishing-gradient")),
)
