"""Two tasks share a body. The loss of the second is added with `item()`, so its head never learns."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class TwoTasks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 48), nn.ReLU())
        self.age = nn.Linear(48, 1)
        self.group = nn.Linear(48, 4)

    def forward(self, person: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(person)
        return self.age(h), self.group(h)


def _train(setting: Setting) -> None:
    people = torch.randn(2000, 12)
    age = torch.sin(people[:, :1]) + 0.5 * people[:, 1:2]
    group = (people @ torch.randn(12, 4)).argmax(dim=1)
    model = TwoTasks()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, a, g in batches(220, 64, people, age, group):
            predicted_age, logits = model(x)
            loss = F.mse_loss(predicted_age, a)
            loss_group = F.cross_entropy(logits, g)
            loss = loss + (loss_group if setting.is_fixed else loss_group.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"age {F.mse_loss(model(people)[0], age):.3f}, group {(model(people)[1].argmax(1) == group).float().mean():.2f}")


PROGRAM = Program(
    name="second-task-as-a-number",
    train=_train,
    source="PyTorch forum, .item() in a sum of losses",
    truth=Truth(rules=("no-gradient", "cut-path"), nodes=("model.group", "model.group.weight", "model.group.bias", "cross_entropy")),
)
