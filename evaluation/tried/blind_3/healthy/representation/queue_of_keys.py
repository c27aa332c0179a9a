"""Momentum contrast: a slow copy of the encoder fills a queue of negatives."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    rows, _ = class_blobs(1500, features=16)
    encoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16))
    slow = deepcopy(encoder).requires_grad_(False)
    queue = F.normalize(torch.randn(256, 16), dim=1)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.06, momentum=0.9, weight_decay=1e-4)
    with setting.watch(encoder):
        for step in range(250):
            batch = rows[torch.randint(1500, (32,))]
            query = F.normalize(encoder(batch + 0.3 * torch.randn(32, 16)), dim=1)
            with torch.no_grad():
                for old, new in zip(slow.parameters(), encoder.parameters(), strict=True):
                    old.mul_(0.98).add_(new, alpha=0.02)
                key = F.normalize(slow(batch + 0.3 * torch.randn(32, 16)), dim=1)
            positive = (query * key).sum(dim=1, keepdim=True)
            logits = torch.cat([positive, query @ queue.T], dim=1) / 0.2
            loss = F.cross_entropy(logits, torch.zeros(32, dtype=torch.long))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            queue[step * 32 % 256 : step * 32 % 256 + 32] = key


PROGRAM = Program(name="queue-of-keys", train=_train, source="He et al. 2020 (MoCo)")
