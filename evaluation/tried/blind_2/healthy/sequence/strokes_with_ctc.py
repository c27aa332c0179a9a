"""CTC: unaligned labels for a stream of noisy symbols, each of which lasts one to three steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

SYMBOLS, STEPS, LABELS = 5, 16, 4


def make_batch(count: int, codes: Tensor) -> tuple[Tensor, Tensor]:
    """Streams `[N, T, 6]` and labels `[N, 4]` from 1 to 5."""
    labels = torch.randint(1, SYMBOLS + 1, (count, LABELS))
    lasts = torch.randint(1, 4, (count, LABELS)) + 1
    ends = lasts.cumsum(dim=1)
    place = (torch.arange(STEPS)[None, :, None] >= ends[:, None, :]).sum(dim=2)
    # 0 between symbols and behind the last.
    padded = torch.cat([labels, torch.zeros(count, 1, dtype=torch.long)], dim=1).gather(1, place)
    is_gap = (torch.arange(STEPS)[None, :, None] == ends[:, None, :] - 1).any(dim=2)
    return codes[padded.masked_fill(is_gap, 0)] + 0.3 * torch.randn(count, STEPS, 6), labels


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(6, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, SYMBOLS + 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.rnn(x)[0]).log_softmax(dim=2)


def _train(setting: Setting) -> None:
    codes = torch.randn(SYMBOLS + 1, 6)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    criterion = nn.CTCLoss(blank=0)
    lengths, targets = torch.full((24,), STEPS), torch.full((24,), LABELS)
    with setting.watch(model):
        for step in range(220):
            stream, labels = make_batch(24, codes)
            loss = criterion(model(stream).transpose(0, 1), labels, lengths, targets)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            if step % 50 == 0:
                print(step, loss.item())


PROGRAM = Program(name="strokes-with-ctc", train=_train, source="Graves et al. 2006 (CTC)")
