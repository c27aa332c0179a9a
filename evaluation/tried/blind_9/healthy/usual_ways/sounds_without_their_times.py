"""A recording is transcribed with the CTC loss: which sounds came is known, and not when."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

SOUNDS, FRAMES, BANDS = 5, 24, 8


def record(count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Spectra `[N, FRAMES, BANDS]`, what was said `[N, 3]` from 1 on, and how long it is `[N]`, 2 or 3."""
    profile = 1.5 * torch.randn(SOUNDS + 1, BANDS)
    said = torch.randint(1, SOUNDS + 1, (count, 3))
    lengths = torch.randint(2, 4, (count,))
    frame = torch.arange(FRAMES) + torch.randint(-2, 3, (count, 1))
    place = (frame // 8).clamp(0, 2)
    heard = said.gather(1, place) * ((frame % 8 > 1) & (place < lengths[:, None]))
    return profile[heard] + 0.5 * torch.randn(count, FRAMES, BANDS), said, lengths


class Transcriber(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(BANDS, 24, 3, padding=1)
        self.gru = nn.GRU(24, 20, batch_first=True, bidirectional=True)
        self.out = nn.Linear(40, SOUNDS + 1)

    def forward(self, spectra: Tensor) -> Tensor:
        x = torch.relu(self.conv(spectra.transpose(1, 2))).transpose(1, 2)
        return self.out(self.gru(x)[0]).log_softmax(dim=2)


def _train(setting: Setting) -> None:
    spectra, said, lengths = record(900)
    model = Transcriber()
    ctc = nn.CTCLoss(blank=0)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(900, (24,))
            chances = model(spectra[rows]).transpose(0, 1)
            loss = ctc(chances, said[rows], torch.full((24,), FRAMES), lengths[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            if step % 28 == 27:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="sounds-without-their-times", train=_train, source="Graves et al. 2006, connectionist temporal classification")
