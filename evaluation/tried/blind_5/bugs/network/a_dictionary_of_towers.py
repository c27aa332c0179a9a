"""The towers of a recommender lie in a plain dictionary, and parameters() does not know them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Towers(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        towers = {kind: nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 16)) for kind in ("reader", "book")}
        self.towers = nn.ModuleDict(towers) if is_fixed else towers
        self.rating = nn.Linear(32, 1)

    def forward(self, reader: Tensor, book: Tensor) -> Tensor:
        return self.rating(torch.relu(torch.cat([self.towers["reader"](reader), self.towers["book"](book)], dim=1))).squeeze(1)


def _train(setting: Setting) -> None:
    readers, books = torch.randn(1500, 12), torch.randn(1500, 12)
    ratings = torch.tanh(readers[:, 0] + readers[:, 1]) + torch.sin(2 * books[:, 0]) + 0.1 * torch.randn(1500)
    model = _Towers(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1500).split(50):
                loss = nn.functional.mse_loss(model(readers[chosen], books[chosen]), ratings[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("loss", loss.item(), "variance", ratings.var().item(), "parameters", sum(1 for _ in model.parameters()))


PROGRAM = Program(
    name="a-dictionary-of-towers",
    train=_train,
    source="PyTorch forum, layers in a list or dictionary are not registered: ModuleList and ModuleDict",
    truth=Truth(rules=("unregistered-modules", "not-in-optimizer", "never-updated", "frozen-as-initialized", "loss-does-not-fall")),
)
