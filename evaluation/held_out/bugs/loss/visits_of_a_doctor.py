"""Which diagnoses will the next visit have? A patient may have several, and the codes share one distribution."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class DoctorAI(nn.Module):
    def __init__(self, codes: int, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.embed = nn.Linear(codes, 32)
        self.gru = nn.GRU(32, 48, batch_first=True)
        self.predict = nn.Linear(48, codes)

    def forward(self, visits: Tensor) -> Tensor:
        hidden, _ = self.gru(torch.tanh(self.embed(visits)))
        logits = self.predict(hidden[:, -1])
        return torch.sigmoid(logits) if self.is_fixed else torch.softmax(logits, dim=1)


def _train(setting: Setting) -> None:
    visits = (torch.rand(1500, 5, 12) < 0.3).float()
    stays = torch.roll(visits[:, -1], 1, dims=1)
    diagnoses = torch.where(torch.rand(1500, 12) < 0.05, 1 - stays, stays)
    model = DoctorAI(12, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.binary_cross_entropy(model(visits[rows]), diagnoses[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="visits-of-a-doctor",
    train=_train,
    source="https://github.com/mp2893/doctorai/issues/10",
    truth=Truth(
        rules=("softmax-for-several-labels", "target-out-of-range"),
        nodes=("softmax", "model: output", "model.predict", "binary_cross_entropy", "binary_cross_entropy: target"),
    ),
)
