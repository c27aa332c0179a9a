"""Memory allows for two volumes per batch, and batch normalization over vectors takes its statistics from these two."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class VolumeNet(nn.Module):
    def __init__(self, use_batch: bool) -> None:
        super().__init__()
        self.conv = nn.Conv3d(1, 8, 3)
        self.fc = nn.Linear(8, 24)
        self.norm: nn.Module = nn.BatchNorm1d(24) if use_batch else nn.LayerNorm(24)
        self.out = nn.Linear(24, 2)

    def forward(self, volume: Tensor) -> Tensor:
        h = torch.relu(self.conv(volume)).mean(dim=(2, 3, 4))
        return self.out(torch.relu(self.norm(self.fc(h))))


def _train(setting: Setting) -> None:
    healthy = torch.randint(2, (600,))
    volumes = torch.randn(600, 1, 6, 6, 6)
    volumes[:, :, ::2] += 1.5 * healthy[:, None, None, None, None]
    volumes[:, :, 1::2] -= 1.5 * healthy[:, None, None, None, None]
    net = VolumeNet(not setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for x, y in batches(300, 2, volumes, healthy):
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="normalized-over-two-volumes",
    train=_train,
    source="Wu and He 2018 on small batches; PyTorch forum, BatchNorm with a batch size of 2",
    truth=Truth(rules=("small-batch-norm",), nodes=("model.norm", "model.norm: output")),
)
