"""An LSTM is trained with Adam at 0.5, a rate that worked with SGD."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import WORDS, words


class LanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.out = nn.Linear(32, len(WORDS))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.lstm(self.embedding(tokens))[0])


def _train(setting: Setting) -> None:
    text = words(13 * 900).view(-1, 13)
    model = LanguageModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3 if setting.is_fixed else 0.5)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for (tokens,) in batches(450, 16, text):
            optimizer.zero_grad()
            loss = criterion(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="lstm-with-a-large-rate",
    train=_train,
    source="PyTorch forum, LSTM does not learn with Adam and the learning rate of SGD; Humbatova et al. (suboptimal learning rate)",
    truth=Truth(rules=("updates-too-large",)),
)
