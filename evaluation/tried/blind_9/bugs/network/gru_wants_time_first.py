"""Heartbeats come as `[samples, time, channels]` to a GRU without `batch_first`: it runs from patient to patient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats


class Diagnosis(nn.Module):
    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.gru = nn.GRU(4, 24, batch_first=batch_first)
        self.classify = nn.Sequential(nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 3))

    def forward(self, beats: Tensor) -> Tensor:
        windows = beats.unfold(2, 4, 4).squeeze(1)
        states, _ = self.gru(windows)
        return self.classify(states[:, -1])


def _train(setting: Setting) -> None:
    beats, kinds = heartbeats(1200)
    model = Diagnosis(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for epoch in range(6):
            right = 0
            for rows in torch.randperm(1200).split(48):
                scores = model(beats[rows])
                loss = nn.functional.cross_entropy(scores, kinds[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((scores.argmax(dim=1) == kinds[rows]).sum())
            print(f"epoch {epoch}: {loss.item():.3f}, {right / 1200:.2f}")


PROGRAM = Program(
    name="gru-wants-time-first",
    train=_train,
    source="PyTorch forum, batch_first of recurrent layers; Humbatova et al. 2020, wrong input of a layer",
    truth=Truth(rules=("batch-as-sequence",), nodes=("model.gru", "model.gru: input", "model.gru: output[0]")),
)
