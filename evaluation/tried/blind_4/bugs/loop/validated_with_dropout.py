"""A recommender is validated without eval(), so dropout falsifies its scores."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Recommender(nn.Module):
    def __init__(self, users: int, films: int) -> None:
        super().__init__()
        self.user = nn.Embedding(users, 12)
        self.film = nn.Embedding(films, 12)
        self.dropout = nn.Dropout(0.4)
        self.mlp = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Dropout(0.4), nn.Linear(32, 1))

    def forward(self, users: Tensor, films: Tensor) -> Tensor:
        pair = torch.cat([self.user(users), self.film(films)], dim=1)
        return self.mlp(self.dropout(pair)).squeeze(1)


def _train(setting: Setting) -> None:
    users, films = torch.randint(0, 80, (4000,)), torch.randint(0, 50, (4000,))
    stars = torch.randn(80)[users] + torch.randn(50)[films] + 0.2 * torch.randn(4000)
    model = _Recommender(80, 50)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(8):
            model.train()
            for index in torch.randperm(3200).split(64):
                loss = nn.functional.mse_loss(model(users[index], films[index]), stars[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if setting.is_fixed:
                model.eval()
            with torch.no_grad():
                print("validation", nn.functional.mse_loss(model(users[3200:], films[3200:]), stars[3200:]).item())


PROGRAM = Program(
    name="validated-with-dropout",
    train=_train,
    source="PyTorch forum: different results at every evaluation, eval() is missing",
    truth=Truth(rules=("evaluation-in-training-mode",)),
)
