"""Reads the digits of a noisy signal without knowing where they lie, with the CTC loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(8, 32, 3, padding=1)
        self.rnn = nn.GRU(32, 32, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(64, 6)

    def forward(self, signal: Tensor) -> Tensor:
        x = torch.relu(self.conv(signal)).transpose(1, 2)
        x, _ = self.rnn(x)
        return nn.functional.log_softmax(self.fc(x), dim=-1)


def _batch(size: int, codes: Tensor) -> tuple[Tensor, Tensor]:
    digits = torch.randint(1, 6, (size, 4))
    widths = torch.randint(2, 5, (size, 4))
    signal = 0.3 * torch.randn(size, 20, 8)
    for row in range(size):
        frames = codes[digits[row].repeat_interleave(widths[row])]
        signal[row, : len(frames)] += frames
    return signal.transpose(1, 2), digits


def _train(setting: Setting) -> None:
    codes = torch.randn(6, 8)
    model = _Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CTCLoss(blank=0)
    lengths, target_lengths = torch.full((16,), 20), torch.full((16,), 4)
    with setting.watch(model):
        for _ in range(600):
            signal, digits = _batch(16, codes)
            log_probs = model(signal).transpose(0, 1)
            loss = criterion(log_probs, digits, lengths, target_lengths)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()


PROGRAM = Program(name="ctc", train=_train, source="Graves et al. 2006")
