"""The batch has two samples because the memory was full, and BatchNorm normalizes over these two."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class _Scans(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(32, 32)
        self.bn1 = nn.BatchNorm1d(32)
        self.fc2 = nn.Linear(32, 32)
        self.bn2 = nn.BatchNorm1d(32)
        self.fc3 = nn.Linear(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.bn1(self.fc1(x)).relu()
        x = self.bn2(self.fc2(x)).relu()
        return self.fc3(x)


def _train(setting: Setting) -> None:
    organs = torch.randn(4, 32)
    labels = torch.randint(0, 4, (1400,))
    scans = organs[labels] + 1.5 * torch.randn(1400, 32)
    loader = DataLoader(TensorDataset(scans[:800], labels[:800]), batch_size=32 if setting.is_fixed else 2, shuffle=True)
    model = _Scans()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(800 // len(loader) + 1):
            model.train()
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                output = model(scans[800:])
            print(
                "loss", nn.functional.cross_entropy(output, labels[800:]).item(), (output.argmax(1) == labels[800:]).float().mean().item()
            )


PROGRAM = Program(
    name="batches-of-two",
    train=_train,
    source="Humbatova et al. 2020, hyperparameters: suboptimal batch size; Karpathy 2019",
    truth=Truth(rules=("small-batch-norm", "loss-does-not-fall", "oscillating-loss"), nodes=("model.bn1", "model.bn2")),
)
