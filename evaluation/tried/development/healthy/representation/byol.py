"""Bootstrap your own latent: the teacher is a slowly moving mean of the student, and gets no gradient."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _mlp(fan_in: int, width: int, fan_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(fan_in, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, fan_out))


class _BYOL(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.online = nn.Sequential(_mlp(24, 64, 32), _mlp(32, 64, 16))
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.predictor = _mlp(16, 64, 16)

    def forward(self, view1: Tensor, view2: Tensor) -> Tensor:
        p1, p2 = self.predictor(self.online(view1)), self.predictor(self.online(view2))
        with torch.no_grad():
            z1, z2 = self.target(view1), self.target(view2)
        return 2 - nn.functional.cosine_similarity(p1, z2).mean() - nn.functional.cosine_similarity(p2, z1).mean()

    @torch.no_grad()
    def update_target(self, decay: float = 0.99) -> None:
        for old, new in zip(self.target.parameters(), self.online.parameters(), strict=True):
            old.mul_(decay).add_(new, alpha=1 - decay)


def _train(setting: Setting) -> None:
    centers = torch.randn(12, 24)
    data = centers[torch.randint(12, (2048,))] + 0.4 * torch.randn(2048, 24)
    model = _BYOL()
    optimizer = torch.optim.AdamW([*model.online.parameters(), *model.predictor.parameters()], lr=1e-3, weight_decay=1e-4)
    with setting.watch(model):
        for _ in range(700):
            x = data[torch.randint(2048, (64,))]
            view1, view2 = ((x + 0.3 * torch.randn_like(x)) * (torch.rand_like(x) > 0.1) for _ in range(2))
            loss = model(view1, view2)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.update_target()


PROGRAM = Program(name="byol", train=_train, source="Grill et al. 2020")
