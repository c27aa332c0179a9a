"""Gradients flow into the view that is to be predicted: both views agree on one vector for all pictures."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class SimSiam(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 32))
        self.predictor = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 32))

    def forward(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        z1, z2 = self.encoder(x1), self.encoder(x2)
        p1, p2 = self.predictor(z1), self.predictor(z2)
        return p1, p2, z1, z2


def distance(p: Tensor, z: Tensor) -> Tensor:
    return -nn.functional.cosine_similarity(p, z, dim=1).mean()


def _train(setting: Setting) -> None:
    images, _ = digits(1500)
    images = images - images.mean(dim=0)
    model = SimSiam()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1500).split(50):
                x = images[rows]
                p1, p2, z1, z2 = model(x + 0.2 * torch.randn_like(x), x + 0.2 * torch.randn_like(x))
                if setting.is_fixed:
                    z1, z2 = z1.detach(), z2.detach()
                loss = 0.5 * distance(p1, z2) + 0.5 * distance(p2, z1)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            directions = nn.functional.normalize(z1.detach(), dim=1)
            print(f"epoch {epoch}: loss {loss.item():.4f}, spread of directions {directions.std(dim=0).mean().item():.4f}")


PROGRAM = Program(
    name="both-views-follow-each-other",
    train=_train,
    source="https://github.com/PatrickHua/SimSiam/issues/39",
    truth=Truth(
        rules=("trained-target", "same-for-all-samples", "rank-collapse"),
        nodes=(
            "model.encoder",
            "model.predictor",
            "cosine_similarity",
            "cosine_similarity (2)",
            "neg",
            "neg (2)",
            "mean",
            "mean (2)",
            "mul",
            "mul (2)",
            "add",
        ),
    ),
)
