"""The output layer shares the weights of an embedding with unit variance: the first loss is many times as high as that of guessing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import LETTERS, letters


class LetterModel(nn.Module):
    def __init__(self, width: int, is_fixed: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(LETTERS), width)
        if is_fixed:
            nn.init.normal_(self.embed.weight, std=0.02)
        self.mix = nn.Conv1d(width, width, 5)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, len(LETTERS), bias=False)
        self.out.weight = self.embed.weight

    def forward(self, text: Tensor) -> Tensor:
        x = self.embed(text).transpose(1, 2)
        mixed = self.mix(nn.functional.pad(x, (4, 0)))
        return self.out(self.norm((x + mixed).transpose(1, 2)))


def _train(setting: Setting) -> None:
    text = letters(12000)
    model = LetterModel(160, setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for step in range(150):
            start = torch.randint(len(text) - 25, (16,))
            window = text[start[:, None] + torch.arange(25)]
            logits = model(window[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 0:
                print(step, round(loss.item(), 3))


PROGRAM = Program(
    name="tied-embedding-of-unit-variance",
    train=_train,
    source="Press and Wolf 2017; PyTorch forum, weight tying and the standard initialization of nn.Embedding",
    truth=Truth(
        rules=("initial-loss", "exploding-gradient", "logit-growth"),
        nodes=("model.out: output", "model: output", "model.embed.weight", "model.out.weight", "model.out"),
    ),
)
