"""A class, a quantity and the input itself are learned at once, with weights that are learned too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Tasks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(16, 48), nn.GELU(), nn.Linear(48, 32), nn.GELU())
        self.kind = nn.Linear(32, 3)
        self.amount = nn.Linear(32, 1)
        self.again = nn.Linear(32, 16)
        self.doubts = nn.Parameter(torch.zeros(3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.trunk(x)
        return self.kind(h), self.amount(h), self.again(h)


def _train(setting: Setting) -> None:
    hidden = torch.randn(2000, 5)
    x = hidden @ torch.randn(5, 16) / 5**0.5 + 0.1 * torch.randn(2000, 16)
    kind = (hidden @ torch.randn(5, 3)).argmax(dim=1)
    amount = torch.tanh(hidden @ torch.randn(5, 1))
    model = Tasks()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(2000).split(50):
                kinds, amounts, copies = model(x[rows])
                losses = torch.stack(
                    [
                        nn.functional.cross_entropy(kinds, kind[rows]),
                        nn.functional.mse_loss(amounts, amount[rows]),
                        nn.functional.l1_loss(copies, x[rows]),
                    ]
                )
                loss = (torch.exp(-model.doubts) * losses + model.doubts).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {', '.join(f'{value:.4f}' for value in losses.tolist())}")


PROGRAM = Program(name="three-tasks-on-one-trunk", train=_train, source="Kendall et al. 2018, several tasks weighed by uncertainty")
