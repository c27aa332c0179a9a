"""Two encoders bring a sound and its word together and push the other pairs of the batch apart, with a learned temperature."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Contrast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sound = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 16))
        self.word = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 16))
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, sound: Tensor, word: Tensor) -> Tensor:
        left, right = nn.functional.normalize(self.sound(sound), dim=1), nn.functional.normalize(self.word(word), dim=1)
        return self.log_scale.clamp(max=4.6).exp() * left @ right.T


def _train(setting: Setting) -> None:
    meaning = torch.randn(2500, 8)
    sounds = torch.tanh(meaning @ torch.randn(8, 30) / 2.8) + 0.3 * torch.randn(2500, 30)
    words = torch.tanh(meaning @ torch.randn(8, 20) / 2.8) + 0.3 * torch.randn(2500, 20)
    model = _Contrast()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    own = torch.arange(50)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(2500).split(50):
                likeness = model(sounds[chosen], words[chosen])
                loss = (nn.functional.cross_entropy(likeness, own) + nn.functional.cross_entropy(likeness.T, own)) / 2
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item(), "found", (likeness.argmax(1) == own).float().mean().item())


PROGRAM = Program(
    name="sounds-and-words-by-contrast", train=_train, source="Radford et al. 2021 (CLIP); van den Oord et al. 2018 (InfoNCE)"
)
