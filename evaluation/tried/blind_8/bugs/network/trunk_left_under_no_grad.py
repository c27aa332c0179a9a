"""Lines from the script that evaluates were pasted into `forward`, with the `no_grad` around the trunk."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class TwoTasks(nn.Module):
    def __init__(self, learns: bool) -> None:
        super().__init__()
        self.learns = learns
        self.conv1 = nn.Conv2d(3, 8, 5, stride=2)
        self.conv2 = nn.Conv2d(8, 8, 3)
        self.angle = nn.Linear(8 * 9, 4)
        self.bright = nn.Linear(8 * 9, 1)

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        with torch.set_grad_enabled(self.learns):
            h = torch.relu(self.conv2(torch.relu(self.conv1(image)))).flatten(1)
        return self.angle(h), self.bright(h)


def _train(setting: Setting) -> None:
    images, angles = gratings(1200, noise=0.4)
    contrast = images.std(dim=(1, 2, 3))[:, None] * 4 - 4
    net = TwoTasks(learns=setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step, (x, a, c) in enumerate(batches(220, 40, images, angles, contrast)):
            scores, guess = net(x)
            loss = nn.functional.cross_entropy(scores, a) + 0.3 * nn.functional.mse_loss(guess, c)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 44 == 43:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="trunk-left-under-no-grad",
    train=_train,
    source="PyTorch forum, gradients are None inside torch.no_grad()",
    truth=Truth(
        rules=("cut-path", "no-gradient"),
        nodes=(
            "model.conv1",
            "model.conv2",
            *(f"model.{name}{what}" for name in ("conv1", "conv2") for what in (".weight", ".bias", ": output")),
            "model.angle: input",
        ),
    ),
)
