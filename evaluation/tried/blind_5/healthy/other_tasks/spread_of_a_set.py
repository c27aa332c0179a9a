"""A network of sets estimates the deviation of up to twenty numbers, whatever their order; missing ones are masked."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Sets(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.each = nn.Sequential(nn.Linear(1, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.all = nn.Sequential(nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, numbers: Tensor, is_there: Tensor) -> Tensor:
        codes = self.each(numbers[:, :, None]) * is_there[:, :, None]
        return self.all(codes.sum(1) / is_there.sum(1, keepdim=True))


def _train(setting: Setting) -> None:
    width = 0.3 + 1.5 * torch.rand(1600, 1)
    numbers = width * torch.randn(1600, 20)
    is_there = (torch.arange(20) < torch.randint(8, 21, (1600, 1))).float()
    mean = (numbers * is_there).sum(1, keepdim=True) / is_there.sum(1, keepdim=True)
    spread = ((numbers - mean).pow(2) * is_there).sum(1, keepdim=True).div(is_there.sum(1, keepdim=True)).sqrt()
    target = (spread - spread.mean()) / spread.std()
    model = _Sets()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1600).split(40):
                loss = nn.functional.mse_loss(model(numbers[chosen], is_there[chosen]), target[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(name="spread-of-a-set", train=_train, source="Zaheer et al. 2017: deep sets")
