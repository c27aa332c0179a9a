"""The LSTM reads the clips of a batch as the frames of one: `batch_first` is missing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import tunes
from evaluation.program import Program, Setting, Truth


class DecoderRnn(nn.Module):
    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.cnn = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
        self.LSTM = nn.LSTM(16, 32, num_layers=1, batch_first=batch_first)
        self.fc1 = nn.Linear(32, 4)

    def forward(self, frames: Tensor) -> Tensor:
        out, _ = self.LSTM(self.cnn(frames))
        return self.fc1(out[:, -1])


def _train(setting: Setting) -> None:
    waves, labels = tunes(1000)
    clips = waves.view(1000, 10, 4)
    model = DecoderRnn(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for epoch in range(8):
            for rows in torch.randperm(1000).split(50):
                loss = nn.functional.cross_entropy(model(clips[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="frames-and-clips-exchanged",
    train=_train,
    source="https://github.com/HHTseng/video-classification/issues/42",
    truth=Truth(rules=("batch-as-sequence",), nodes=("model.LSTM",)),
)
