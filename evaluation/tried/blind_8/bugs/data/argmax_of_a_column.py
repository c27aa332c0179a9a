"""Labels come from `argmax(dim=1)`, as for one-hot rows, but the file holds a single column of numbers: all labels are 0."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class SmallNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 12, 5, stride=2), nn.BatchNorm2d(12), nn.ReLU(), nn.Conv2d(12, 16, 3), nn.ReLU())
        self.head = nn.Linear(16 * 9, 4)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(image).flatten(1))


def _train(setting: Setting) -> None:
    images, angles = gratings(1100, noise=0.3)
    column = angles[:, None]
    labels = column.squeeze(1) if setting.is_fixed else column.argmax(dim=1)
    net = SmallNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    with setting.watch(net):
        for x, y in batches(150, 32, images[:1000], labels[:1000]):
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    net.eval()
    with torch.no_grad():
        print(f"test {(net(images[1000:]).argmax(dim=1) == angles[1000:]).float().mean():.2f}")


PROGRAM = Program(
    name="argmax-of-a-column",
    train=_train,
    source="Keras and PyTorch forums, accuracy is 100 % from the first epoch",
    truth=Truth(
        rules=("constant-target",),
        nodes=("cross_entropy: target", "cross_entropy", "model.head: output"),
    ),
)
