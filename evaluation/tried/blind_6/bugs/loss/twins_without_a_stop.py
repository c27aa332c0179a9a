"""Two views of a picture are pulled together, without a stop-gradient and without a predictor: everything becomes the same."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    centers = torch.randn(200, 16)
    encoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16))
    optimizer = torch.optim.Adam(encoder.parameters(), lr=3e-3)
    with setting.watch(encoder):
        for _ in range(200):
            picture = centers[torch.randint(200, (64,))]
            first = encoder(picture + 0.3 * torch.randn(64, 16))
            second = encoder(picture + 0.3 * torch.randn(64, 16))
            if setting.is_fixed:
                similarity = F.normalize(first, dim=1) @ F.normalize(second, dim=1).T / 0.2
                loss = F.cross_entropy(similarity, torch.arange(64))
            else:
                loss = 1 - F.cosine_similarity(first, second, dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            unit = F.normalize(encoder(centers), dim=1)
    print(f"mean similarity of different pictures {(unit @ unit.T).mean():.2f}")


PROGRAM = Program(
    name="twins-without-a-stop",
    train=_train,
    source="Chen and He 2021, collapse of Siamese networks",
    truth=Truth(rules=("same-for-all-samples", "trained-target", "rank-collapse"), nodes=("model: output", "model.2", "cosine_similarity")),
)
