"""A decoder is given the answer itself, and not the answer moved by one token, so it only has to copy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

START, WORDS, LENGTH = 0, 15, 7


class Reverser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.source_words, self.answer_words = nn.Embedding(WORDS, 24), nn.Embedding(WORDS, 24)
        self.encoder = nn.GRU(24, 64, batch_first=True)
        self.decoder = nn.GRU(24, 64, batch_first=True)
        self.out = nn.Linear(64, WORDS)

    def forward(self, source: Tensor, answer: Tensor) -> Tensor:
        _, state = self.encoder(self.source_words(source))
        states, _ = self.decoder(self.answer_words(answer), state)
        return self.out(states)


def _train(setting: Setting) -> None:
    seq2seq = Reverser()
    optimizer = torch.optim.Adam(seq2seq.parameters(), lr=5e-3)
    with setting.watch(seq2seq):
        for step in range(300):
            source = torch.randint(1, WORDS, (48, LENGTH))
            answer = source.flip(1)
            given = answer
            if setting.is_fixed:
                given = torch.cat([torch.full((48, 1), START), answer[:, :-1]], dim=1)
            loss = nn.functional.cross_entropy(seq2seq(source, given).flatten(0, 1), answer.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 0:
                print(step, loss.item())


PROGRAM = Program(
    name="decoder-reads-the-answer",
    train=_train,
    source="PyTorch forum, a seq2seq model is perfect in training and useless in use: the target was not shifted",
    truth=Truth(
        rules=("feature-is-label",),
        nodes=("model: input answer", "model: input", "model.answer_words: input", "model.answer_words", "cross_entropy: target"),
    ),
)
