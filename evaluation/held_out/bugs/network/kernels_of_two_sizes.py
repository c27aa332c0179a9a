"""Photos are filtered with kernels of two sizes, and attention chooses between the sizes for each channel."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class SKAttention(nn.Module):
    def __init__(self, channel: int, is_fixed: bool) -> None:
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(channel, channel, size, padding=size // 2) for size in (3, 5))
        self.fc = nn.Linear(channel, 8)
        self.fcs = nn.ModuleList(nn.Linear(8, channel) for _ in range(2))
        self.softmax = nn.Softmax(dim=0 if is_fixed else 1)

    def forward(self, x: Tensor) -> Tensor:
        features = torch.stack([torch.relu(conv(x)) for conv in self.convs])
        squeezed = self.fc(features.sum(dim=0).mean(dim=(-2, -1)))
        weights = self.softmax(torch.stack([fc(squeezed) for fc in self.fcs]))
        return (weights[..., None, None] * features).sum(dim=0)


class Net(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.sk = SKAttention(16, is_fixed)
        self.head = nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.sk(torch.relu(self.stem(x))).mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    images, labels = photos(800)
    images = images / 127.5 - 1
    model = Net(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(800).split(32):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="kernels-of-two-sizes",
    train=_train,
    source="https://github.com/xmu-xiaoma666/External-Attention-pytorch/issues/18",
    truth=Truth(
        rules=("softmax-over-batch",),
        nodes=("model.sk.softmax", "model.sk.softmax: input", "model.sk", "softmax"),
    ),
)
