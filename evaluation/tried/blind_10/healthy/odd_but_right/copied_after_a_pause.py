"""A recurrent network has to repeat what it read after a pause: input and target are the same symbols at other times."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

SYMBOLS, LENGTH, PAUSE = 6, 4, 3


class Memory(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(SYMBOLS + 2, 16)
        self.gru = nn.GRU(16, 64, batch_first=True)
        self.out = nn.Linear(64, SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.gru(self.embed(tokens))[0][:, -LENGTH:])


def task(count: int) -> tuple[Tensor, Tensor]:
    """Symbols, a pause, and a sign for each symbol to repeat; and the symbols."""
    symbols = torch.randint(SYMBOLS, (count, LENGTH))
    pause, sign = torch.full((count, PAUSE), SYMBOLS), torch.full((count, LENGTH), SYMBOLS + 1)
    return torch.cat([symbols, pause, sign], dim=1), symbols


def _train(setting: Setting) -> None:
    model = Memory()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for step in range(250):
            tokens, symbols = task(48)
            loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), symbols.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="copied-after-a-pause", train=_train, source="Hochreiter and Schmidhuber 1997 and Arjovsky et al. 2016, copying task"
)
