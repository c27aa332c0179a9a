"""After the first evaluation, `model.train()` is never called again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(8 * 36, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return self.head(self.dropout(x.flatten(1)))


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(15):
            if setting.is_fixed:
                model.train()
            for x, y in batches(40, 32, images[:1280], labels[:1280]):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                model(images[1280:])


PROGRAM = Program(
    name="training-in-evaluation-mode",
    train=_train,
    source="PyTorch documentation, Module.train",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model", "model.norm", "model.dropout"), step=41),
)
