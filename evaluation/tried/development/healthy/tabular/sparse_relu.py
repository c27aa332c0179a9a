"""A wide ReLU network with an L1 penalty on its activations: most of them are zero, and no unit is."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Sparse(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(16, 128)
        self.fc2 = nn.Linear(128, 64)
        self.fc3 = nn.Linear(64, 8)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h1 = torch.relu(self.fc1(x))
        h2 = torch.relu(self.fc2(h1))
        return self.fc3(h2), h1.abs().mean() + h2.abs().mean()


def _train(setting: Setting) -> None:
    centers = torch.randn(8, 2, 16)
    classes = torch.randint(8, (3000,))
    x = centers[classes, torch.randint(2, (3000,))] + 0.5 * torch.randn(3000, 16)
    model = _Sparse()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(15):
            for index in torch.randperm(3000).split(50):
                logits, activity = model(x[index])
                loss = nn.functional.cross_entropy(logits, classes[index]) + 0.02 * activity
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="sparse-relu", train=_train, source="Glorot et al. 2011: deep sparse rectifier networks")
