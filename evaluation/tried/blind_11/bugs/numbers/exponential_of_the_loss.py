"""The cost is `exp(cross_entropy / eta)`. It is well for a while, until one batch is far off and it overflows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Client(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(20, 64)
        self.fc2 = nn.Linear(64, 5)

    def forward(self, data: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(data)))


def _train(setting: Setting) -> None:
    samples, labels = class_blobs(1600)
    # For two batches a sensor was wired wrongly: its values are ten thousand times as large.
    samples[60 * 20 : 62 * 20] *= 10_000
    client_model = Client()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(client_model.parameters(), lr=0.05)
    eta = 2.0
    with setting.watch(client_model):
        for e in range(2):
            train_loss = 0.0
            for batch_idx in range(80):
                rows = slice(20 * batch_idx, 20 * batch_idx + 20)
                output = client_model(samples[rows])
                risk = criterion(output, labels[rows]) / eta
                if setting.is_fixed:
                    risk = risk.clamp(max=3)
                loss = torch.exp(risk)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                train_loss += loss.item() / 80
                if batch_idx % 20 == 19:
                    print(f"epoch {e}, batch {batch_idx}: {loss.item():.4f}")


PROGRAM = Program(
    name="exponential-of-the-loss",
    train=_train,
    source="Stack Overflow, 'Weird behaviour of loss function in pytorch': torch.exp(criterion(output, target) / eta) becomes nan",
    truth=Truth(rules=("nan-origin",), nodes=("exp",), step=60),
)
