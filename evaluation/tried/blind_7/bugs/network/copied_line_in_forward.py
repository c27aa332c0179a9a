"""A line of `forward` was copied and not changed: the first stage runs twice, and the second never."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.stem = nn.Conv2d(1, 12, 3)
        self.stage1 = nn.Conv2d(12, 12, 3, padding=1)
        self.stage2 = nn.Conv2d(12, 12, 3, padding=1)
        self.fc = nn.Linear(12 * 5 * 5, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.stem(x)), 2)
        x = F.relu(self.stage1(x))
        x = F.relu(self.stage2(x) if self.is_fixed else self.stage1(x))
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*digits(1200)), batch_size=40, shuffle=True)
    net = Net(setting.is_fixed)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(6):
            hits = 0
            for img, lab in loader:
                opt.zero_grad()
                out = net(img)
                F.cross_entropy(out, lab).backward()
                opt.step()
                hits += int((out.argmax(1) == lab).sum())
            print(f"epoch {epoch}: {hits / 1200:.1%}")


PROGRAM = Program(
    name="copied-line-in-forward",
    train=_train,
    source="Humbatova et al. 2020, model: wrong layer connections; Stack Overflow, find_unused_parameters",
    truth=Truth(rules=("no-gradient", "never-updated"), nodes=("model.stage2", "model.stage2.weight", "model.stage2.bias")),
)
