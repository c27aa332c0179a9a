"""Word counts are divided by the length of the document, and from step 60 on some documents have no word at all."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Shares(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.least = 1.0 if is_fixed else 0.0

    def forward(self, counts: Tensor) -> Tensor:
        return counts / counts.sum(1, keepdim=True).clamp(min=self.least)


def _train(setting: Setting) -> None:
    topics = 0.2 + 3 * torch.rand(4, 50).pow(4)
    model = nn.Sequential(_Shares(setting.is_fixed), nn.Linear(50, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(150):
            topic = torch.randint(0, 4, (48,))
            counts = torch.poisson(topics[topic])
            if step >= 60:
                counts[step % 48] = 0
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(counts), topic)
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                print(step, loss.item())


PROGRAM = Program(
    name="document-without-a-word",
    train=_train,
    source="Humbatova et al. 2020: division by zero; PyTorch forum, NaN after normalizing rows of zeros",
    truth=Truth(rules=("nan-origin",), nodes=("model.0", "model.1: input", "model.0: input", "model: input"), step=60),
)
