"""What does a question ask for? A recurrent network reads it, and attention weighs its words."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class EmbedVector(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.embed = nn.Embedding(30, 24)
        self.lstm = nn.LSTM(24, 24, bidirectional=True, batch_first=True)
        self.attn = nn.Linear(24 + 48, 1)
        self.hidden2tag = nn.Linear(48, 3)

    def forward(self, words: Tensor) -> Tensor:
        x = self.embed(words)
        outputs, _ = self.lstm(x)
        scores = self.attn(torch.cat([x, outputs], dim=2))
        weights = torch.softmax(scores, dim=1 if self.is_fixed else 2)
        return self.hidden2tag((weights * outputs).sum(dim=1))


def _train(setting: Setting) -> None:
    words, labels = commands(1200)
    model = EmbedVector(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.cross_entropy(model(words[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="questions-about-entities",
    train=_train,
    source="https://github.com/DEEP-PolyU/KEQA_WSDM19/issues/2",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient"),
        nodes=("softmax", "model.attn", "model.attn.weight", "model.attn.bias", "model.attn: output"),
    ),
)
