"""Two optimizers: one for a large embedding with sparse gradients, one for the rest."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Clicks(nn.Module):
    def __init__(self, items: int) -> None:
        super().__init__()
        self.items = nn.EmbeddingBag(items, 16, mode="mean", sparse=True)
        self.out = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, baskets: Tensor) -> Tensor:
        return self.out(self.items(baskets)).squeeze(1)


def _train(setting: Setting) -> None:
    baskets = torch.randint(300, (2500, 6))
    taste = torch.randn(300)
    is_sold = (taste[baskets].sum(dim=1) > 0).float()
    model = Clicks(300)
    optimizers = torch.optim.SparseAdam(model.items.parameters(), lr=1e-2), torch.optim.Adam(model.out.parameters(), lr=2e-3)
    with setting.watch(model):
        for items, sold in batches(300, 40, baskets, is_sold):
            loss = nn.functional.binary_cross_entropy_with_logits(model(items), sold)
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()  # type: ignore[no-untyped-call]


PROGRAM = Program(name="sparse-and-dense", train=_train, source="PyTorch documentation of SparseAdam; recommender scripts")
