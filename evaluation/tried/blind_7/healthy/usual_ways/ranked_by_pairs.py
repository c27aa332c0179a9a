"""Rare events are ranked above others: the loss compares every event of a batch with every other row."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(2000, 10)
    risk = x @ torch.randn(10) + x[:, 0] * x[:, 1]
    event = risk + torch.randn(2000) > risk.quantile(0.9)
    events, others = x[event], x[~event]
    net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step in range(200):
            some = events[torch.randint(len(events), (12,))]
            more = others[torch.randint(len(others), (52,))]
            score = net(torch.cat([some, more]))
            # On purpose a matrix of all pairs.
            difference = score[:12, None] - score[None, 12:]
            loss = nn.functional.softplus(-difference).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(f"area under the curve {(difference > 0).float().mean():.3f}")


PROGRAM = Program(name="ranked-by-pairs", train=_train, source="Burges et al. 2005; pairwise surrogates of the area under the curve")
