"""Log probabilities of a digit classifier are normalized over dimension 0, over the samples instead of the classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


class _Digits(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(64, 48)
        self.fc2 = nn.Linear(48, 10)
        self.log_softmax = nn.LogSoftmax(dim=dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.log_softmax(self.fc2(F.relu(self.fc1(x.flatten(1)))))


def _train(setting: Setting) -> None:
    fonts = torch.randn(10, 8, 8)
    digit = torch.randint(0, 10, (1800,))
    scans = fonts[digit] + 1.5 * torch.randn(1800, 8, 8)
    network = _Digits(1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    with setting.watch(network):
        for _ in range(10):
            for index in torch.randperm(1500).split(50):
                network.zero_grad()
                loss = F.nll_loss(network(scans[index]), digit[index])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (network(scans[1500:]).argmax(1) == digit[1500:]).float().mean().item(), "loss", loss.item())


PROGRAM = Program(
    name="probabilities-over-the-batch",
    train=_train,
    source="PyTorch forum: which dim for softmax; Gu et al. 2021, NeuraLint checks arguments of layers",
    truth=Truth(rules=("softmax-over-batch", "initial-loss", "loss-does-not-fall"), nodes=("model.log_softmax",)),
)
