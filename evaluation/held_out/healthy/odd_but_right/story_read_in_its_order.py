"""A story is read from its beginning to its end in many rows at once, and the state goes on from piece to piece."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import LETTERS, letters


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(LETTERS), 24)
        self.lstm = nn.LSTM(24, 64, batch_first=True)
        self.out = nn.Linear(64, len(LETTERS))

    def forward(self, text: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        hidden, state = self.lstm(self.embed(text), state)
        return self.out(hidden), state


def _train(setting: Setting) -> None:
    text = letters(16 * 961).view(16, 961)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(3):
            state = None
            for start in range(0, 960, 20):
                logits, state = model(text[:, start : start + 20], state)
                state = (state[0].detach(), state[1].detach())
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[:, start + 1 : start + 21].flatten())
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="story-read-in-its-order", train=_train, source="PyTorch examples, word language model")
