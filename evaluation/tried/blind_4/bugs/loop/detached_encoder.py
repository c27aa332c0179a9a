"""The features of the encoder are detached to save memory, so only the classifier is trained."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(40, 32), nn.Tanh(), nn.Linear(32, 6), nn.Tanh())
        self.classifier = nn.Linear(6, 3)
        self.saves_memory = False

    def forward(self, x: Tensor) -> Tensor:
        features = self.encoder(x)
        if self.saves_memory:
            features = features.detach()
        return self.classifier(features)


def _train(setting: Setting) -> None:
    x = torch.randn(1500, 40)
    y = torch.stack([x[:, 0] * x[:, 1], x[:, 2], x[:, 3] ** 2 - 1], dim=1).argmax(1)
    model = _Net()
    model.saves_memory = not setting.is_fixed
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1500).split(30):
                loss = nn.functional.cross_entropy(model(x[index]), y[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(loss.item(), [parameter.grad is None for parameter in model.encoder.parameters()])


PROGRAM = Program(
    name="detached-encoder",
    train=_train,
    source="PyTorch forum: parameters have grad None after detach()",
    truth=Truth(rules=("no-gradient", "cut-path", "never-updated", "loss-does-not-fall"), nodes=("model.encoder",)),
)
