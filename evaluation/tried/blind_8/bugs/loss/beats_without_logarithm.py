"""`NLLLoss` gets the scores of an LSTM as they are, and falls without end as the right score grows."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats


class BeatReader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(4, 24, batch_first=True, bidirectional=True)
        self.classify = nn.Linear(48, 3)

    def forward(self, beat: Tensor) -> Tensor:
        frames = beat.view(len(beat), 12, 4)
        return self.classify(self.rnn(frames)[0].mean(dim=1))


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*heartbeats(1000)), batch_size=25, shuffle=True)
    reader = BeatReader()
    criterion = nn.CrossEntropyLoss() if setting.is_fixed else nn.NLLLoss()
    optimizer = torch.optim.Adam(reader.parameters(), lr=5e-3)
    with setting.watch(reader):
        for epoch in range(6):
            hits = 0
            for beat, kind in loader:
                scores = reader(beat)
                loss = criterion(scores, kind)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += int((scores.argmax(dim=1) == kind).sum())
            print(f"epoch {epoch}: loss {loss.item():.3f}, {hits / 1000:.2f}")


PROGRAM = Program(
    name="beats-without-logarithm",
    train=_train,
    source="Islam et al. 2019, API misuse; PyTorch forum, NLLLoss is negative",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss", "logit-growth", "runaway-growth"),
        nodes=("model.classify", "model.classify: output", "nll_loss"),
    ),
)
