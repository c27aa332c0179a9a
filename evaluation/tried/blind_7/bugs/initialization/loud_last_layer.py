"""The matrix that makes scores of words begins with a deviation of 3: the first loss is many times that of a guess."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

WORDS = 60


class LanguageModel(nn.Module):
    def __init__(self, deviation: float) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, 32)
        self.lstm = nn.LSTM(32, 48, batch_first=True)
        self.norm = nn.LayerNorm(48)
        self.lm_head = nn.Linear(48, WORDS, bias=False)
        nn.init.normal_(self.lm_head.weight, std=deviation)

    def forward(self, words: Tensor) -> Tensor:
        return self.lm_head(self.norm(self.lstm(self.embed(words))[0]))


def _train(setting: Setting) -> None:
    grammar = torch.rand(WORDS, WORDS) ** 12
    walk = [torch.randint(WORDS, (600,))]
    for _ in range(16):
        walk.append(grammar[walk[-1]].multinomial(1).squeeze(1))
    text = torch.stack(walk, dim=1)
    model = LanguageModel(0.02 if setting.is_fixed else 3.0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(200):
            chosen = text[torch.randint(600, (24,))]
            scores = model(chosen[:, :-1])
            loss = nn.functional.cross_entropy(scores.transpose(1, 2), chosen[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step in (0, 199):
                print(step, loss.item())


PROGRAM = Program(
    name="loud-last-layer",
    train=_train,
    source="Karpathy, a recipe for training neural networks: verify the loss at initialization",
    truth=Truth(rules=("initial-loss",), nodes=("model: output", "model.lm_head: output", "model.lm_head", "model.lm_head.weight")),
)
