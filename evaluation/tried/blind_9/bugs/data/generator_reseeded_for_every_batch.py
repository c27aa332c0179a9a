"""For results that can be repeated, the function that draws a batch seeds its generator first. It always draws the same one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class WearNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 20, batch_first=True)
        self.head = nn.Linear(20, 1)

    def forward(self, vibration: Tensor) -> Tensor:
        return self.head(self.gru(vibration)[1][0])


class Sampler:
    def __init__(self, count: int, reseed: bool) -> None:
        self.count, self.reseed = count, reseed
        self.generator = torch.Generator().manual_seed(1234)

    def draw(self, size: int) -> Tensor:
        if self.reseed:
            self.generator.manual_seed(1234)
        return torch.randint(self.count, (size,), generator=self.generator)


def _train(setting: Setting) -> None:
    series, wear = machines(900)
    sampler = Sampler(700, reseed=not setting.is_fixed)
    model = WearNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for iteration in range(180):
            chosen = sampler.draw(6)
            loss = nn.functional.mse_loss(model(series[chosen]), wear[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if iteration % 45 == 44:
                with torch.no_grad():
                    unseen = nn.functional.mse_loss(model(series[700:]), wear[700:])
                print(f"{iteration}: {loss.item():.4f}, unseen {unseen.item():.4f}")


PROGRAM = Program(
    name="generator-reseeded-for-every-batch",
    train=_train,
    source="Forum questions on random numbers that repeat in datasets; Islam et al. 2019, data bugs",
    truth=Truth(rules=("repeated-batch",), nodes=("model: input vibration", "mse_loss: target")),
)
