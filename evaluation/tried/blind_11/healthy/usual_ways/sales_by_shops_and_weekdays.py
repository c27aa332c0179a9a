"""Sales by embeddings of shop and weekday beside normalized numbers, with dropout, to minimize the error of the logarithm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def sales(count: int) -> tuple[Tensor, Tensor, Tensor]:
    places = torch.stack([torch.randint(12, (count,)), torch.randint(7, (count,))], dim=1)
    numbers = torch.randn(count, 3)
    shop, weekday = torch.randn(12), 0.5 * torch.randn(7)
    log_sales = 5 + shop[places[:, 0]] + weekday[places[:, 1]] - 0.6 * numbers[:, 0] + 0.3 * numbers[:, 1].abs() + 0.1 * torch.randn(count)
    return places, numbers, log_sales.exp()


class SalesNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shop = nn.Embedding(12, 6)
        self.weekday = nn.Embedding(7, 3)
        self.norm = nn.BatchNorm1d(3)
        self.mlp = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, places: Tensor, numbers: Tensor) -> Tensor:
        parts = [self.shop(places[:, 0]), self.weekday(places[:, 1]), self.norm(numbers)]
        return self.mlp(torch.cat(parts, dim=1)).squeeze(1)


def _train(setting: Setting) -> None:
    places, numbers, amounts = sales(2400)
    logs = amounts.log1p()
    mean, deviation = logs[:2000].mean(), logs[:2000].std()
    targets = (logs - mean) / deviation
    model = SalesNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3, weight_decay=1e-5)
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(2000).split(64):
                loss = nn.functional.mse_loss(model(places[rows], numbers[rows]), targets[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                error = nn.functional.mse_loss(model(places[2000:], numbers[2000:]), targets[2000:]).sqrt() * deviation
            print(f"epoch {epoch}: loss {loss.item():.4f}, RMSLE {error.item():.4f}")


PROGRAM = Program(
    name="sales-by-shops-and-weekdays", train=_train, source="Guo and Berkhahn 2016, entity embeddings (Rossmann store sales)"
)
