"""An LSTM for the mood of a melody is trained by Adam with a learning rate of a half."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Mood(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.notes = nn.Embedding(24, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.mood = nn.Linear(32, 3)

    def forward(self, melody: Tensor) -> Tensor:
        states, _ = self.lstm(self.notes(melody))
        return self.mood(states[:, -1])


def _train(setting: Setting) -> None:
    melodies = torch.randint(3, 24, (1200, 15))
    moods = torch.randint(0, 3, (1200,))
    melodies[torch.arange(1200), torch.randint(0, 15, (1200,))] = moods
    model = _Mood()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3 if setting.is_fixed else 0.5)
    with setting.watch(model):
        for _ in range(12):
            for chosen in torch.randperm(1200).split(40):
                loss = nn.functional.cross_entropy(model(melodies[chosen]), moods[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("loss", loss.item())


PROGRAM = Program(
    name="lstm-with-a-rate-of-a-half",
    train=_train,
    source="DeepFD (Cao et al. 2022): wrong learning rate; PyTorch forum, LSTM does not learn",
    truth=Truth(
        rules=(
            "updates-too-large",
            "oscillating-loss",
            "diverging-loss",
            "loss-does-not-fall",
            "saturated-units",
            "runaway-growth",
            "logit-growth",
            "gradient-spike",
            "predictions-ignore-input",
            "same-for-all-samples",
            "vanishing-gradient",
            "dormant-units",
            "rank-collapse",
            "growing-with-depth",
            "exploding-gradient",
        ),
    ),
)
