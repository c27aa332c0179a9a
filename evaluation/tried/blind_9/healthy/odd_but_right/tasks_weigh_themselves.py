"""Two tasks share a network, and learned variances weigh their losses. The sum may become negative."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class TwoTasks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(12, 20, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten()
        )
        self.kind = nn.Linear(320, 4)
        self.place = nn.Linear(320, 2)
        self.log_variance = nn.Parameter(torch.zeros(2))

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        features = self.shared(image)
        return self.kind(features), self.place(features)


def _train(setting: Setting) -> None:
    data = shapes(1200)
    model = TwoTasks()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(180):
            rows = torch.randint(1200, (40,))
            kind, place = model(data.images[rows])
            losses = torch.stack([nn.functional.cross_entropy(kind, data.classes[rows]), nn.functional.mse_loss(place, data.centers[rows])])
            loss = (losses * torch.exp(-model.log_variance) + 0.5 * model.log_variance).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 36 == 35:
                print(f"{step}: {loss.item():.3f}, kind {losses[0].item():.3f}, place {losses[1].item():.4f}")


PROGRAM = Program(name="tasks-weigh-themselves", train=_train, source="Kendall et al. 2018, multi-task learning with uncertainty")
