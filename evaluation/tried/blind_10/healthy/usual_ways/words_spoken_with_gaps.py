"""Spoken words as spectrograms, of which bands of time and pitch are blanked while training, with validation after each epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import tones


class Spotter(nn.Module):
    def __init__(self, bands: int, words: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(bands)
        self.conv1 = nn.Conv1d(bands, 24, 3, padding=1)
        self.conv2 = nn.Conv1d(24, 24, 3, padding=1, groups=4)
        self.conv3 = nn.Conv1d(24, 24, 1)
        self.gru = nn.GRU(24, 24, batch_first=True)
        self.out = nn.Linear(24, words)

    def forward(self, spectrum: Tensor) -> Tensor:
        x = torch.relu(self.conv1(self.norm(spectrum)))
        x = x + torch.relu(self.conv3(torch.relu(self.conv2(x))))
        _, state = self.gru(x.transpose(1, 2))
        return self.out(state[0])


def spectra(sounds: Tensor) -> Tensor:
    frames = sounds[:, 0].unfold(1, 16, 4) * torch.hann_window(16)
    return torch.log1p(torch.fft.rfft(frames).abs()).transpose(1, 2)


def blank(spectrum: Tensor) -> Tensor:
    spectrum = spectrum.clone()
    pitch, time = int(torch.randint(spectrum.shape[1] - 1, ())), int(torch.randint(spectrum.shape[2] - 2, ()))
    spectrum[:, pitch] = 0
    spectrum[:, :, time : time + 2] = 0
    return spectrum


def _train(setting: Setting) -> None:
    sounds, words = tones(1300)
    spectrum = spectra(sounds)
    model = Spotter(spectrum.shape[1], 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.cross_entropy(model(blank(spectrum[rows])), words[rows], label_smoothing=0.1)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.inference_mode():
                test = nn.functional.cross_entropy(model(spectrum[1000:]), words[1000:])
            print(f"epoch {epoch}: {loss.item():.3f}, test {test.item():.3f}")


PROGRAM = Program(name="words-spoken-with-gaps", train=_train, source="Park et al. 2019, SpecAugment")
