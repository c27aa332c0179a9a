"""Dates written by letters are translated to numbers by an encoder, a decoder and attention, with the truth fed back."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
LETTERS = " 0123456789abcdefghijklmnopqrstuvwxyz-"


def encode(text: str) -> list[int]:
    return [LETTERS.index(letter) for letter in text]


def dates(count: int) -> tuple[Tensor, Tensor]:
    """Texts such as "07 mar 21", and such as " 21-03-07", which begins with a blank."""
    numbers = zip(
        torch.randint(1, 29, (count,)).tolist(), torch.randint(12, (count,)).tolist(), torch.randint(100, (count,)).tolist(), strict=True
    )
    pairs = [(f"{day:02} {MONTHS[month]} {year:02}", f" {year:02}-{month + 1:02}-{day:02}") for day, month, year in numbers]
    return torch.tensor([encode(text) for text, _ in pairs]), torch.tensor([encode(text) for _, text in pairs])


class Translator(nn.Module):
    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(LETTERS), 24)
        self.encoder = nn.GRU(24, width // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(24, width, batch_first=True)
        self.query = nn.Linear(width, width)
        self.out = nn.Linear(2 * width, len(LETTERS))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, last = self.encoder(self.embed(source))
        states, _ = self.decoder(self.embed(target), torch.cat([last[0], last[1]], dim=1)[None])
        weights = (self.query(states) @ memory.transpose(1, 2)).softmax(dim=2)
        return self.out(torch.cat([states, weights @ memory], dim=2))


def _train(setting: Setting) -> None:
    source, target = dates(2000)
    model = Translator()
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    with setting.watch(model):
        for step in range(160):
            rows = torch.randint(2000, (40,))
            scores = model(source[rows], target[rows, :-1])
            loss = nn.functional.cross_entropy(scores.transpose(1, 2), target[rows, 1:])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="dates-in-another-notation", train=_train, source="Bahdanau et al. 2015, attention for translation")
