"""A language model whose output layer is its embedding: one matrix for both, and dropout between them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class TiedLstm(nn.Module):
    def __init__(self, vocab: int, width: int) -> None:
        super().__init__()
        self.encoder = nn.Embedding(vocab, width)
        self.drop = nn.Dropout(0.1)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.decoder = nn.Linear(width, vocab)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.2, 0.2)

    def forward(self, tokens: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        out, state = self.lstm(self.drop(self.encoder(tokens)), state)
        return self.decoder(self.drop(out)), state


def _train(setting: Setting) -> None:
    corpus = words(16 * 1400)[: 16 * 1393].view(16, -1)
    model = TiedLstm(len(WORDS), 40)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    state: tuple[Tensor, Tensor] | None = None
    with setting.watch(model):
        for start in range(0, 1380, 12):
            tokens, following = corpus[:, start : start + 12], corpus[:, start + 1 : start + 13]
            if state is not None:
                state = (state[0].detach(), state[1].detach())
            logits, state = model(tokens, state)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            if start % 240 == 0:
                print(f"{start}: {loss.item():.4f}")


PROGRAM = Program(
    name="words-in-and-out-by-one-matrix", train=_train, source="Press and Wolf 2017; PyTorch examples, word_language_model --tied"
)
