"""Cross-entropy wants (B, C, T). `view` instead of `transpose` mixes classes with steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

CLASSES, LENGTH = 6, 10


class Translator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(18, 24)
        self.rnn = nn.GRU(24, 32, batch_first=True, bidirectional=True)
        self.out = nn.Linear(64, CLASSES)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.rnn(self.embed(tokens))[0])


def _train(setting: Setting) -> None:
    tokens = torch.randint(18, (1500, LENGTH))
    labels = (tokens + tokens.roll(-1, dims=1)) % CLASSES
    model = Translator()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(250, 32, tokens, labels):
            logits = model(x)
            logits = logits.transpose(1, 2) if setting.is_fixed else logits.reshape(-1, CLASSES, LENGTH)
            loss = nn.functional.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="classes-viewed-as-steps",
    train=_train,
    source="Medium, 'The dangers of reshaping'; PyTorch forum, CrossEntropyLoss for sequences",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
