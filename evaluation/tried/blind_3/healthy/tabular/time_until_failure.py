"""Survival analysis: Cox's partial likelihood, where some machines have not failed yet."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


def partial_likelihood(risk: Tensor, times: Tensor, failed: Tensor) -> Tensor:
    order = times.argsort(descending=True)
    risk, failed = risk[order], failed[order]
    return -((risk - risk.logcumsumexp(dim=0)) * failed).sum() / failed.sum().clamp(min=1)


def _train(setting: Setting) -> None:
    machines = torch.randn(1500, 8)
    hazard = machines[:, 0] + machines[:, 1] * machines[:, 2]
    times = torch.empty(1500).exponential_() / hazard.exp()
    seen_for = torch.empty(1500).exponential_(0.5)
    failed = (times <= seen_for).float()
    times = torch.minimum(times, seen_for)
    model = nn.Sequential(nn.Linear(8, 32), nn.SELU(), nn.AlphaDropout(0.1), nn.Linear(32, 1, bias=False), nn.Flatten(0))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
    with setting.watch(model):
        for x, time, is_over in batches(250, 64, machines, times, failed):
            optimizer.zero_grad()
            partial_likelihood(model(x), time, is_over).backward()
            optimizer.step()


PROGRAM = Program(name="time-until-failure", train=_train, source="Katzman et al. 2018 (DeepSurv)")
