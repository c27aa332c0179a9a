"""A network changes the focus of pictures. The runner of an example of video diffusion was adapted for it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class Refocus(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Conv2d(1, 16, 3, padding=1)
        self.middle = nn.Conv2d(16, 16, 3, padding=1)
        self.leave = nn.Conv2d(16, 1, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        h = nn.functional.silu(self.enter(x))
        return x + self.leave(nn.functional.silu(self.middle(h)))


def _train(setting: Setting) -> None:
    sharp, _ = outlines(480)
    blurred = nn.functional.avg_pool2d(sharp, 3, stride=1, padding=1)
    unet = Refocus()
    optimizer = torch.optim.AdamW(unet.parameters(), lr=3e-3)
    with setting.watch(unet):
        for epoch in range(4):
            train_loss = 0.0
            for rows in torch.randperm(480).split(16):
                loss = nn.functional.mse_loss(unet(blurred[rows]), sharp[rows])
                loss.backward()
                nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
                if setting.is_fixed:
                    optimizer.step()
                optimizer.zero_grad()
                train_loss += loss.item() / 30
            print(f"epoch {epoch}: {train_loss:.5f}")


PROGRAM = Program(
    name="focus-changed-by-a-runner",
    train=_train,
    source="https://github.com/tedlasai/learn2refocus/issues/5",
    truth=Truth(rules=("optimizer-never-steps", "never-updated", "loss-does-not-fall")),
)
