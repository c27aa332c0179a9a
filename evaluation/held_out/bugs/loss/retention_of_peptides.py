"""How long does a peptide stay in a column? A recurrent network reads its letters. The times are standardized."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class RetentionLSTM(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.lstm = nn.LSTM(16, 48, batch_first=True)
        self.fc1 = nn.Linear(48, 32)
        self.fc2 = nn.Linear(32, 1)
        self.activation = nn.Identity() if is_fixed else nn.ReLU()

    def forward(self, peptide: Tensor) -> Tensor:
        hidden, _ = self.lstm(self.embedding(peptide))
        x = torch.relu(self.fc1(hidden[:, -1]))
        return self.activation(self.fc2(x)).squeeze(1)


def _train(setting: Setting) -> None:
    peptides = torch.randint(0, 20, (1600, 9))
    times = torch.randn(20)[peptides].sum(dim=1) + 0.1 * torch.randn(1600)
    times = (times - times.mean()) / times.std()
    model = RetentionLSTM(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1600).split(40):
                loss = nn.functional.mse_loss(model(peptides[rows]), times[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="retention-of-peptides",
    train=_train,
    source="https://github.com/ProteomicsML/ProteomicsML/pull/203",
    truth=Truth(
        rules=("target-out-of-range", "dead-relu"),
        nodes=("model.activation", "model: output", "model.fc2", "mse_loss", "mse_loss: target"),
    ),
)
