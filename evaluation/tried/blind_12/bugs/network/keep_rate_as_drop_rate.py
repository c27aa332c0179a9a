"""The rate at which to keep values is given to a layer that takes the rate at which to drop them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import tunes
from evaluation.program import Program, Setting, Truth


class Network(nn.Module):
    def __init__(self, dropout_keep_prob: float) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(1, 24, 7, stride=2)
        self.conv2 = nn.Conv1d(24, 32, 5, stride=2)
        self.dropout = nn.Dropout(dropout_keep_prob)
        self.logits = nn.Linear(32 * 7, 4)

    def forward(self, clip: Tensor) -> Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(clip))))
        return self.logits(self.dropout(x.flatten(1)))


def _train(setting: Setting) -> None:
    waves, labels = tunes(1000)
    model = Network(0.05 if setting.is_fixed else 0.95)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.cross_entropy(model(waves[rows, None]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="keep-rate-as-drop-rate",
    train=_train,
    source="https://github.com/piergiaj/pytorch-i3d/issues/58",
    truth=Truth(rules=("heavy-dropout",), nodes=("model.dropout",)),
)
