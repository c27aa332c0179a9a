"""A language model with an LSTM of two layers, dropout between them, clipped gradients and states carried over."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting


class Rnn(nn.Module):
    def __init__(self, vocabulary: int, width: int = 48) -> None:
        super().__init__()
        self.encoder = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, 2, dropout=0.1, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.decoder = nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        out, state = self.lstm(self.encoder(tokens), state)
        return self.decoder(self.drop(out)), state


def _train(setting: Setting) -> None:
    corpus = phrases(20, length=1601)
    model = Rnn(24)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for epoch in range(2):
            state = None
            for start in range(0, 1600, 20):
                if state is not None:
                    state = (state[0].detach(), state[1].detach())
                logits, state = model(corpus[:, start : start + 20], state)
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), corpus[:, start + 1 : start + 21].flatten())
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
            print(f"epoch {epoch}: perplexity {loss.exp().item():.2f}")


PROGRAM = Program(name="words-foretold-by-an-lstm", train=_train, source="PyTorch examples, word_language_model")
