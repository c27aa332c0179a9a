"""Forty recordings for a network of forty thousand weights: it learns them by heart, and new voices are guessed with confidence."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Voices(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(8, 32, 3, padding=1)
        self.hidden = nn.Linear(32 * 10, 128)
        self.out = nn.Linear(128, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.relu(self.hidden(torch.relu(self.conv(x)).flatten(1))))


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    speakers = torch.randint(0, 3, (12300,))
    voices = 0.2 * torch.randn(3, 8, 10)[speakers] + torch.randn(12300, 8, 10)
    count = 12000 if is_fixed else 40
    model = _Voices()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    step = 0
    with setting.watch(model):
        for _ in range(1 if is_fixed else 150):
            for chosen in torch.randperm(count).split(40 if is_fixed else 20):
                model.train()
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(voices[chosen]), speakers[chosen])
                loss.backward()
                optimizer.step()
                step += 1
                if step % 15 == 0:
                    model.eval()
                    with torch.no_grad():
                        valid = nn.functional.cross_entropy(model(voices[12000:]), speakers[12000:])
                    print("training", round(loss.item(), 4), "validation", round(valid.item(), 4))


PROGRAM = Program(
    name="forty-voices-learned-by-heart",
    train=_train,
    source="Humbatova et al. 2020: not enough training data; UMLAUT: overfitting",
    truth=Truth(rules=("overfitting",)),
)
