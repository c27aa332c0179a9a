"""The model ends with a softmax where its loss expects logarithms: the loss is negative from the start."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class TextTransformer(nn.Module):
    def __init__(self, vocabulary: int, d_model: int = 32) -> None:
        super().__init__()
        self.src_embed = nn.Embedding(vocabulary, d_model)
        self.encoder = nn.TransformerEncoderLayer(d_model, 4, 64, dropout=0.1, batch_first=True)
        self.fc = nn.Linear(d_model, 2)
        self.softmax: nn.Module = nn.Softmax(dim=1)

    def forward(self, x: Tensor) -> Tensor:
        encoded = self.encoder(self.src_embed(x))
        return self.softmax(self.fc(encoded.mean(dim=1)))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1600)
    model = TextTransformer(40)
    if setting.is_fixed:
        model.softmax = nn.LogSoftmax(dim=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loss_op = nn.NLLLoss()
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1600).split(40):
                optimizer.zero_grad()
                loss = loss_op(model(tokens[rows]), labels[rows])
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="softmax-into-nll",
    train=_train,
    source="https://github.com/AnubhavGupta3377/Text-Classification-Models-Pytorch/issues/9",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss"), nodes=("model.softmax", "model: output", "nll_loss", "nll_loss: target")
    ),
)
