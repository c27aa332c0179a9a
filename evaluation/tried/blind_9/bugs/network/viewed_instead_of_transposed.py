"""What a GRU returns as `[time, samples, units]` is made `[samples, time * units]` by `view`, which mixes the samples."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class Reader(nn.Module):
    def __init__(self, transposed: bool) -> None:
        super().__init__()
        self.transposed = transposed
        self.embed = nn.Embedding(30, 16)
        self.gru = nn.GRU(16, 12)
        self.fc = nn.Linear(10 * 12, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.gru(self.embed(tokens.t()))
        if self.transposed:
            states = states.transpose(0, 1).contiguous()
        return self.fc(states.view(tokens.shape[0], -1))


def _train(setting: Setting) -> None:
    tokens, labels = commands(1600)
    model = Reader(transposed=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1600).split(40):
                loss = nn.functional.cross_entropy(model(tokens[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="viewed-instead-of-transposed",
    train=_train,
    source="PyTorch forum, view is not a permutation: samples are mixed; Islam et al. 2019",
    truth=Truth(
        rules=("batch-as-sequence", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model", "model.fc", "model.fc: input", "model.gru", "model.gru: output[0]"),
    ),
)
