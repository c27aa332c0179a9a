"""Counts of words are divided by their length. One text, read in step 57, has none but stop words: 0 / 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class UnitLength(nn.Module):
    def __init__(self, eps: float) -> None:
        super().__init__()
        self.eps = eps

    def forward(self, counts: Tensor) -> Tensor:
        return counts / (counts.norm(dim=1, keepdim=True) + self.eps)


def _train(setting: Setting) -> None:
    words, topic = torch.poisson(torch.full((2400, 50), 0.5)), torch.randn(50, 4)
    words[:, 0] += 1
    labels = (words @ topic).argmax(dim=1)
    words[57 * 24 + 10] = 0
    model = nn.Sequential(UnitLength(1e-6 if setting.is_fixed else 0.0), nn.Linear(50, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step, (counts, label) in enumerate(DataLoader(TensorDataset(words, labels), batch_size=24)):
            loss = nn.functional.cross_entropy(model(counts), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="document-of-stop-words",
    train=_train,
    source="Stack Overflow, NaN from a vector of zeros divided by its norm",
    truth=Truth(rules=("nan-origin",), nodes=("model.0", "model.0: output"), step=57),
)
