"""Whether a wheel bearing is damaged is heard by dilated convolutions with residual connections."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Layer(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x: Tensor) -> Tensor:
        return x + nn.functional.gelu(self.norm(self.conv(x)))


def _train(setting: Setting) -> None:
    damage = torch.randint(0, 3, (900,))
    period = torch.tensor([64.0, 8.0, 5.0])[damage][:, None]
    knocks = (((torch.arange(64) + torch.randint(0, 64, (900, 1))) % period) < 1).float()
    sound = 2 * knocks + 0.5 * torch.randn(900, 64)
    sound = ((sound - sound.mean()) / sound.std())[:, None]
    model = nn.Sequential(
        nn.Conv1d(1, 16, 3, padding=1), _Layer(16, 1), _Layer(16, 2), _Layer(16, 4), nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        nn.Linear(16, 3),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            model.train()
            for index in torch.randperm(720).split(30):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(sound[index]), damage[index])
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print("accuracy", (model(sound[720:]).argmax(1) == damage[720:]).float().mean().item())


PROGRAM = Program(name="wheels-by-dilated-convolutions", train=_train, source="Bai et al. 2018: temporal convolutional networks")
