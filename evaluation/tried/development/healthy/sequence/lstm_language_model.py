"""An LSTM that predicts the next letter, with its state carried from batch to batch and detached."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import LETTERS, letters


class _LanguageModel(nn.Module):
    def __init__(self, letters: int, width: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, 32)
        self.lstm = nn.LSTM(32, width, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(width, letters)

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        out, state = self.lstm(self.embedding(x), state)
        return self.head(self.drop(out)), state


def _train(setting: Setting) -> None:
    batch, length = 16, 24
    text = letters(30_000)
    text = text[: len(text) // batch * batch].view(batch, -1)
    model = _LanguageModel(len(LETTERS))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(9):
            state = None
            for start in range(0, text.shape[1] - length - 1, length):
                x, y = text[:, start : start + length], text[:, start + 1 : start + length + 1]
                if state is not None:
                    state = (state[0].detach(), state[1].detach())
                logits, state = model(x, state)
                loss = nn.functional.cross_entropy(logits.reshape(-1, len(LETTERS)), y.reshape(-1))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()


PROGRAM = Program(name="lstm-language-model", train=_train, source="PyTorch's example word_language_model")
