"""News are sorted into topics by an encoder, with probabilities at its end."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class Transformer(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.src_embed = nn.Embedding(30, 32)
        self.encoder = nn.TransformerEncoderLayer(32, 2, dim_feedforward=64, dropout=0.0, batch_first=True)
        self.fc = nn.Linear(32, 3)
        self.softmax = nn.LogSoftmax(dim=1) if is_fixed else nn.Softmax(dim=1)

    def forward(self, x: Tensor) -> Tensor:
        encoded = self.encoder(self.src_embed(x))
        return self.softmax(self.fc(encoded.amax(dim=1)))


def _train(setting: Setting) -> None:
    words, topics = commands(1500)
    model = Transformer(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loss_op = nn.NLLLoss()
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                loss = loss_op(model(words[rows]), topics[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="news-by-a-small-transformer",
    train=_train,
    source="https://github.com/AnubhavGupta3377/Text-Classification-Models-Pytorch/issues/9",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss"),
        nodes=("model.softmax", "softmax", "nll_loss", "model: output", "model.fc"),
    ),
)
