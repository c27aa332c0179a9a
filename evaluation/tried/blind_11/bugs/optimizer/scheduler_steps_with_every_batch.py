"""`StepLR(optimizer, 5, 0.1)` is meant for epochs, and `scheduler.step()` is in the loop over batches."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class SimpleCnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 25, 64)
        self.fc2 = nn.Linear(64, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(torch.relu(self.conv(x)))
        x = torch.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    loader = DataLoader(TensorDataset(images, labels), batch_size=50, shuffle=True)
    model = SimpleCnn()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.1)
    per_epoch = setting.is_fixed
    with setting.watch(model):
        for epoch in range(7):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                if not per_epoch:
                    scheduler.step()
            if per_epoch:
                scheduler.step()
            print(f"epoch {epoch}: loss {loss.item():.4f}, lr {optimizer.param_groups[0]['lr']:.1e}")


PROGRAM = Program(
    name="scheduler-steps-with-every-batch",
    train=_train,
    source="PyTorch forum and Stack Overflow, the loss stops falling after some batches: scheduler.step() in the inner loop",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
