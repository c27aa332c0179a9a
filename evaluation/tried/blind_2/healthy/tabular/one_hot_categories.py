"""Salaries from three categories as one-hot columns and two numbers."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import one_hot

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    count = 2000
    job, city, degree = torch.randint(12, (count,)), torch.randint(20, (count,)), torch.randint(4, (count,))
    years, hours = 30 * torch.rand(count), 20 + 20 * torch.rand(count)
    salary = torch.randn(12)[job] + 0.7 * torch.randn(20)[city] + 0.5 * degree + 0.06 * years * (degree > 1) + 0.05 * hours
    salary = (salary + 0.2 * torch.randn(count) - salary.mean()) / salary.std()
    numbers = torch.stack([(years - 15) / 8.7, (hours - 30) / 5.8], dim=1)
    x = torch.cat([one_hot(job, 12).float(), one_hot(city, 20).float(), one_hot(degree, 4).float(), numbers], dim=1)

    model = nn.Sequential(nn.Linear(38, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.3)
    mae = nn.L1Loss()
    with setting.watch(model):
        for epoch in range(9):
            model.train()
            for index in torch.randperm(1600).split(40):
                prediction = model(x[index]).squeeze(1)
                loss = nn.functional.mse_loss(prediction, salary[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            scheduler.step()
            model.eval()
            with torch.no_grad():
                error = mae(model(x[1600:]).squeeze(1), salary[1600:])
            print(f"epoch {epoch}: validation error {error.item():.3f}")


PROGRAM = Program(name="one-hot-categories", train=_train, source="tabular data with categories, SGD with momentum")
