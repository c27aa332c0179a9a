"""A language model returns probabilities, since they are what is sampled from, and is trained with cross-entropy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import WORDS, words


class LanguageModel(nn.Module):
    def __init__(self, probabilities: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), 24)
        self.gru = nn.GRU(24, 48, batch_first=True)
        self.out = nn.Linear(48, len(WORDS))
        self.probabilities = probabilities

    def forward(self, tokens: Tensor) -> Tensor:
        scores = self.out(self.gru(self.embedding(tokens))[0])
        return torch.softmax(scores, dim=-1) if self.probabilities else scores


def _train(setting: Setting) -> None:
    text = words(17 * 900).view(-1, 17)
    model = LanguageModel(probabilities=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (tokens,) in batches(500, 16, text):
            scores = model(tokens[:, :-1])
            loss = nn.functional.cross_entropy(scores.reshape(-1, len(WORDS)), tokens[:, 1:].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="softmax-in-language-model",
    train=_train,
    source="PyTorch forum, softmax in the forward of a character model",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model: output",)),
)
