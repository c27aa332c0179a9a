"""A recurrent network that reads spectra under `autocast` in bfloat16, with clipped gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Listener(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(12, 24)
        self.lstm = nn.LSTM(24, 32, batch_first=True)
        self.out = nn.Linear(32, 4)

    def forward(self, spectra: Tensor) -> Tensor:
        states, _ = self.lstm(self.project(spectra).tanh())
        return self.out(states.mean(dim=1))


def _train(setting: Setting) -> None:
    voices = torch.randn(4, 12)
    net = Listener()
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for _ in range(150):
            speaker = torch.randint(4, (32,))
            spectra = voices[speaker][:, None] * torch.rand(32, 14, 1) + 0.8 * torch.randn(32, 14, 12)
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(net(spectra), speaker)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()


PROGRAM = Program(name="lstm-in-bfloat16", train=_train, source="PyTorch documentation of automatic mixed precision")
