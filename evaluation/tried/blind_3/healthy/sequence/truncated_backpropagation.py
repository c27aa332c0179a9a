"""A long text is read in pieces. The state is carried on, detached, from each piece to the next."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import babble

STREAMS, PIECE = 16, 12


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 24)
        self.cell = nn.GRUCell(24, 48)
        self.out = nn.Linear(48, 16)

    def forward(self, tokens: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        logits = []
        for token in tokens.T:
            state = self.cell(self.embedding(token), state)
            logits.append(self.out(state))
        return torch.stack(logits, dim=1), state


def _train(setting: Setting) -> None:
    text = babble(STREAMS, length=PIECE * 60 + 1)
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(2):
            state = torch.zeros(STREAMS, 48)
            for start in range(0, PIECE * 60, PIECE):
                tokens, following = text[:, start : start + PIECE], text[:, start + 1 : start + PIECE + 1]
                logits, state = model(tokens, state.detach())
                loss = nn.functional.cross_entropy(logits.transpose(1, 2), following)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()


PROGRAM = Program(name="truncated-backpropagation", train=_train, source="PyTorch example word_language_model")
