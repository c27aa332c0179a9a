"""The fine features are computed, and the sum with the coarse ones gets lost: the convolution has no part in the result."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Denoiser(nn.Module):
    def __init__(self, add: bool) -> None:
        super().__init__()
        self.add = add
        self.down = nn.Conv2d(1, 16, 4, stride=4)
        self.inner = nn.Conv2d(16, 16, 3, padding=1)
        self.detail = nn.Conv2d(1, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(16, 8, 4, stride=4)
        self.out = nn.Conv2d(8, 1, 3, padding=1)

    def forward(self, picture: Tensor) -> Tensor:
        fine = F.relu(self.detail(picture))
        coarse = F.relu(self.up(F.relu(self.inner(F.relu(self.down(picture))))))
        merged = coarse + fine
        return self.out(merged if self.add else coarse)


def _train(setting: Setting) -> None:
    line = torch.linspace(0, 6.28, 16)
    net = Denoiser(add=setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for step in range(220):
            waves, shift = torch.randint(2, 8, (24, 2, 1)), 6.28 * torch.rand(24, 2, 1)
            rows, columns = torch.sin(waves * line + shift).unbind(1)
            clean = (rows[:, None, :, None] * columns[:, None, None, :]).contiguous()
            loss = F.mse_loss(net(clean + 0.2 * torch.randn_like(clean)), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 44 == 43:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="detail-is-never-added",
    train=_train,
    source="Humbatova et al. 2020, model: missing connection; PyTorch forum, parameters without gradient",
    truth=Truth(rules=("no-gradient", "never-updated", "cut-path"), nodes=("model.detail", "model.detail.weight", "model.detail.bias")),
)
