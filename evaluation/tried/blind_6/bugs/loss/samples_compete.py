"""`LogSoftmax(dim=0)` normalizes over the samples of the batch, and not over the classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class SpeechCommands(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 12, 7, stride=3), nn.ReLU(), nn.Conv1d(12, 16, 5, stride=2), nn.ReLU())
        self.linear = nn.Linear(16, 5)
        self.log_softmax = nn.LogSoftmax(dim=dim)

    def forward(self, wave: Tensor) -> Tensor:
        return self.log_softmax(self.linear(self.conv(wave).mean(dim=2)))


def _train(setting: Setting) -> None:
    labels = torch.randint(5, (1500,))
    frequency = 0.25 * (labels + 1 + 0.3 * torch.randn(1500))
    waves = torch.sin(frequency[:, None] * torch.arange(64) + 6.28 * torch.rand(1500, 1)) + 0.2 * torch.randn(1500, 64)
    model = SpeechCommands(dim=1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, y in batches(250, 32, waves[:, None], labels):
            loss = F.nll_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(waves[:, None]).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="samples-compete",
    train=_train,
    source="StackOverflow, wrong dim of LogSoftmax; Humbatova et al. 2020, wrong axis",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.log_softmax", "model.log_softmax: output")),
)
