"""A schedule that halves the rate per epoch is stepped once per batch, so nothing moves after twenty batches."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Stripes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 12, 3), nn.Conv2d(12, 16, 3)
        self.fc = nn.Linear(16 * 4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*gratings(1200, noise=0.3)), batch_size=40, shuffle=True)
    net = Stripes()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    scheduler = ExponentialLR(optimizer, gamma=0.5)
    per_epoch = setting.is_fixed
    with setting.watch(net):
        for epoch in range(6):
            total = 0.0
            for image, angle in loader:
                loss = nn.functional.cross_entropy(net(image), angle)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if not per_epoch:
                    scheduler.step()
                total += loss.item() / len(loader)
            if per_epoch:
                scheduler.step()
            print(f"epoch {epoch}: {total:.3f}")


PROGRAM = Program(
    name="halved-with-every-batch",
    train=_train,
    source="PyTorch documentation, schedulers and where to step them; PyTorch forum",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "never-updated", "predictions-ignore-input"), step=10),
)
