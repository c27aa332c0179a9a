"""A contrastive loss keeps each sample's similarity to itself among the candidates, and nothing is more similar."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def _train(setting: Setting) -> None:
    rows, _ = clients(1200)
    encoder = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 16))
    optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)

    def loss_of(views: Tensor) -> Tensor:
        views = nn.functional.normalize(views, dim=1)
        similarity = views @ views.T / 0.2
        if setting.is_fixed:
            similarity = similarity.masked_fill(torch.eye(len(views), dtype=torch.bool), float("-inf"))
        return nn.functional.cross_entropy(similarity, torch.arange(len(views)).roll(len(views) // 2))

    with setting.watch(encoder):
        for _ in range(250):
            chosen = rows[torch.randint(1200, (32,))]
            views = torch.cat([chosen + 0.2 * torch.randn(32, 12), chosen + 0.2 * torch.randn(32, 12)])
            loss = loss_of(encoder(views))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="own-view-among-the-negatives",
    train=_train,
    source="GitHub issues of SimCLR implementations, the diagonal of the similarity matrix",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
