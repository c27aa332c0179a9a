"""Who falls ill first: the partial likelihood of Cox over the patients of a batch, with a small network for the risk."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    patients = torch.randn(1200, 9)
    risk = patients[:, 0] + (patients[:, 1] * patients[:, 2]).tanh()
    time = torch.empty(1200).exponential_() * torch.exp(-risk)
    censored = torch.rand(1200) < 0.3
    net = nn.Sequential(nn.Linear(9, 32), nn.SELU(), nn.AlphaDropout(0.05), nn.Linear(32, 32), nn.SELU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(220):
            chosen = torch.randint(1200, (64,))
            chosen = chosen[time[chosen].argsort(descending=True)]
            score = net(patients[chosen]).squeeze(1)
            seen = ~censored[chosen]
            loss = (score.logcumsumexp(dim=0) - score)[seen].mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="hazards-of-patients", train=_train, source="Katzman et al. 2018 (DeepSurv)")
