"""A recurrent classifier of names returns raw scores, and the loss is `NLLLoss`: it falls below zero and on."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Names(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(26, 12)
        self.rnn = nn.RNN(12, 32, batch_first=True)
        self.out = nn.Linear(32, 4)

    def forward(self, letters: Tensor) -> Tensor:
        states, _ = self.rnn(self.embedding(letters))
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    labels = torch.randint(4, (1500,))
    letters = (torch.randint(0, 10, (1500, 7)) + 5 * labels[:, None]).clamp(max=25)
    model = Names()
    criterion = nn.NLLLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(200, 32, letters, labels):
            scores = model(x)
            if setting.is_fixed:
                scores = F.log_softmax(scores, dim=1)
            loss = criterion(scores, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(letters).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="nll-of-raw-scores",
    train=_train,
    source="StackOverflow, NLLLoss is negative",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss", "runaway-growth", "logit-growth"),
        nodes=("nll_loss", "model.out: output", "model.out"),
    ),
)
