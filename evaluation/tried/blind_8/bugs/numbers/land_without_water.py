"""Shares of land are compared by `p * log(p / q)`. From step 52 on there is a parcel without water, and its share is 0."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    mixing = torch.randn(10, 4) / 2
    net = nn.Sequential(nn.Linear(10, 40), nn.Tanh(), nn.Linear(40, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    rule = torch.special.xlogy if setting.is_fixed else lambda p, q: p * torch.log(q)
    with setting.watch(net):
        for step in range(150):
            bands = torch.randn(32, 10)
            share = torch.softmax(bands @ mixing, dim=1)
            if step >= 52:
                share[step % 32, 3] = 0.0
                share = share / share.sum(dim=1, keepdim=True)
            foreseen = net(bands).log_softmax(dim=1)
            divergence = (rule(share, share) - share * foreseen).sum(dim=1)
            loss = divergence.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="land-without-water",
    train=_train,
    source="PyTorch documentation, torch.xlogy; forum, the KL divergence is NaN when a target is 0",
    truth=Truth(rules=("nan-origin",), nodes=("sub", "sum", "mean"), step=52),
)
