"""The regression ends with a ReLU, and half of its targets are negative."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Rnn(nn.Module):
    def __init__(self, letters: int, is_positive: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(letters, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True, bidirectional=True)
        self.linear = nn.Linear(64, 1)
        self.is_positive = is_positive

    def forward(self, peptide: Tensor) -> Tensor:
        out, _ = self.lstm(self.embed(peptide))
        out = self.linear(out.mean(dim=1))
        return torch.relu(out) if self.is_positive else out


def _train(setting: Setting) -> None:
    peptides = torch.randint(0, 20, (1200, 12))
    mobility = torch.randn(20)[peptides].sum(dim=1, keepdim=True)
    mobility = (mobility - mobility.mean()) / mobility.std()
    model = Rnn(20, is_positive=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    loss_fn = nn.L1Loss()
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200).split(40):
                optimizer.zero_grad()
                loss = loss_fn(model(peptides[rows]), mobility[rows])
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="mobility-is-never-below-nought",
    train=_train,
    source="https://github.com/ProteomicsML/ProteomicsML/pull/203",
    truth=Truth(rules=("target-out-of-range", "dead-relu"), nodes=("model", "model.linear", "model: output", "l1_loss", "l1_loss: target")),
)
