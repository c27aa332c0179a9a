"""Reptile: six steps for one wave, then the weights go back most of the way, and the next wave follows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def make_task() -> tuple[Tensor, Tensor]:
    phase, height = 3.1416 * torch.rand(1), 0.5 + 1.5 * torch.rand(1)
    x = 6 * torch.rand(40, 1) - 3
    return x, height * torch.sin(x + phase)


class Wave(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(1, width)
        self.second = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.tanh(self.second(torch.tanh(self.first(x)))))


def _train(setting: Setting) -> None:
    model = Wave(32)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
    adapted = []
    with setting.watch(model):
        for task in range(66):
            x, y = make_task()
            before = {name: weight.clone() for name, weight in model.state_dict().items()}
            for _ in range(6):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
            adapted.append(loss.item())
            after = model.state_dict()
            model.load_state_dict({name: before[name] + 0.4 * (after[name] - before[name]) for name in before})
            if task % 11 == 10:
                print(f"task {task}: after adapting {sum(adapted[-11:]) / 11:.3f}")


PROGRAM = Program(name="reptile-waves", train=_train, source="Nichol et al. 2018 (Reptile)")
