"""Audio samples stay 16-bit integers up to 32767 when they become floats."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def record(count: int) -> tuple[Tensor, Tensor]:
    """Clips `[N, 80]` as 16-bit integers, and which of four instruments plays `[N]`."""
    kinds = torch.randint(4, (count,))
    time = torch.arange(80)
    pitch = 0.25 + 0.05 * torch.rand(count, 1)
    overtones = torch.tensor([[1, 0, 0], [1, 0.8, 0], [1, 0, 0.8], [0.3, 1, 1]])[kinds]
    wave = sum((overtones[:, i : i + 1] * torch.sin((i + 1) * pitch * time) for i in range(3)), torch.zeros(count, 80))
    clips = 9000 * wave + 800 * torch.randn(count, 80)
    return clips.clamp(-32768, 32767).to(torch.int16), kinds


class AudioNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(1, 16, 9, stride=2)
        self.conv2 = nn.Conv1d(16, 16, 9, stride=2)
        self.out = nn.Linear(16, 4)

    def forward(self, clip: Tensor) -> Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(clip.unsqueeze(1)))))
        return self.out(x.mean(dim=2))


def _train(setting: Setting) -> None:
    clips, kinds = record(1200)
    model = AudioNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for clip, kind in batches(250, 32, clips, kinds):
            x = clip.float()
            if setting.is_fixed:
                x = x / 9000
            loss = nn.functional.cross_entropy(model(x), kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="raw-audio",
    train=_train,
    source="DeepFD and Humbatova et al. 2020 (missing normalization), 16-bit audio",
    truth=Truth(
        rules=("input-not-normalized", "initial-loss", "exploding-gradient"),
        nodes=("model: input", "model.conv1: input", "model: input clip", "model.out: output", "model: output", "model.conv1.weight"),
    ),
)
