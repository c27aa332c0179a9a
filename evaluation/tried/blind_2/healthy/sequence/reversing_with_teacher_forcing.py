"""A GRU encoder and decoder reverse short words, with teacher forcing; shorter words are padded and do not count."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

PAD, START, SYMBOLS = 0, 1, 12


class Reverser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(SYMBOLS, 24, padding_idx=PAD)
        self.encoder = nn.GRU(24, 64, batch_first=True)
        self.decoder = nn.GRU(24, 64, batch_first=True)
        self.out = nn.Linear(64, SYMBOLS)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        _, state = self.encoder(self.embed(source))
        start = torch.full((len(source), 1), START)
        states, _ = self.decoder(self.embed(torch.cat([start, target[:, :-1]], dim=1)), state)
        return self.out(states)


def make_batch(count: int) -> tuple[Tensor, Tensor]:
    words = torch.randint(2, SYMBOLS, (count, 5))
    lengths = torch.randint(2, 6, (count, 1))
    place = torch.arange(5)
    source = words.masked_fill(place < 5 - lengths, PAD)
    target = source.flip(1)
    return source, target


def _train(setting: Setting) -> None:
    model = Reverser()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    with setting.watch(model):
        for step in range(350):
            source, target = make_batch(48)
            logits = model(source, target)
            loss = criterion(logits.flatten(0, 1), target.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 70 == 0:
                print(step, loss.item())


PROGRAM = Program(name="reversing-with-teacher-forcing", train=_train, source="Sutskever et al. 2014 (sequence to sequence)")
