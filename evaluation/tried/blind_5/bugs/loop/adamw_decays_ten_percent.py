"""AdamW gets a weight decay of ten, so that a tenth of each weight is taken away in every step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class _Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(40, 24)
        self.mix = nn.Conv1d(24, 24, 3, padding=1)
        self.out = nn.Linear(24, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token(tokens).transpose(1, 2)
        return self.out((x + torch.relu(self.mix(x))).mean(2))


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = _Reader()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.01 if setting.is_fixed else 10.0)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(2000).split(40):
                loss = nn.functional.cross_entropy(model(tokens[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item(), model.token.weight.std().item())


PROGRAM = Program(
    name="adamw-decays-ten-percent",
    train=_train,
    source="Humbatova et al. 2020: wrong regularization and hyperparameters; TheDeepChecker: weights vanish",
    truth=Truth(
        rules=(
            "weights-collapse",
            "predictions-ignore-input",
            "same-for-all-samples",
            "loss-does-not-fall",
            "vanishing-gradient",
            "same-for-all-tokens",
            "dormant-units",
            "branch-without-effect",
            "rank-collapse",
            "dead-relu",
            "updates-too-large",
        ),
    ),
)
