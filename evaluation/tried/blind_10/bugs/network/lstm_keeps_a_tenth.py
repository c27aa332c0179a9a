"""The share to keep, 0.9, was the argument of an older library. Here the same number is the share that is dropped between layers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import LETTERS, letters


class LetterModel(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(LETTERS), 24)
        self.lstm = nn.LSTM(24, 64, num_layers=3, dropout=dropout)
        self.out = nn.Linear(64, len(LETTERS))

    def forward(self, text: Tensor) -> Tensor:
        states, _ = self.lstm(self.embed(text).transpose(0, 1))
        return self.out(states.transpose(0, 1))


def _train(setting: Setting) -> None:
    text = letters(12000)
    windows = text.unfold(0, 33, 11)
    model = LetterModel(0.1 if setting.is_fixed else 0.9)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    with setting.watch(model):
        for step in range(130):
            batch = windows[torch.randint(len(windows), (24,))]
            loss = nn.functional.cross_entropy(model(batch[:, :-1]).transpose(1, 2), batch[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            if step % 26 == 25:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="lstm-keeps-a-tenth",
    train=_train,
    source="Stack Overflow, keep_prob of TensorFlow given as dropout of PyTorch",
    truth=Truth(
        rules=("heavy-dropout", "predictions-ignore-input", "loss-does-not-fall", "vanishing-gradient"),
        nodes=(
            "model.lstm",
            "model.lstm: output[0]",
            *(f"model.lstm.weight_{part}_l{layer}" for layer in range(3) for part in ("ih", "hh")),
        ),
    ),
)
