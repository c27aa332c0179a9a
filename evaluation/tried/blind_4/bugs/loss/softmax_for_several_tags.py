"""A text can have several topics at once, but a softmax makes the probabilities of all topics sum up to one."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    topics = torch.randn(8, 100)
    tags = (torch.rand(1600, 8) < 0.4).float()
    counts = torch.poisson((0.5 * tags @ topics).clamp(max=2.0).exp())
    model = nn.Sequential(nn.Linear(100, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 8))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    is_independent = setting.is_fixed
    texts = (counts + 1).log()
    with setting.watch(model):
        for _ in range(12):
            for rows in torch.randperm(1400).split(40):
                scores = model(texts[rows])
                probabilities = torch.sigmoid(scores) if is_independent else F.softmax(scores, dim=1)
                loss = F.binary_cross_entropy(probabilities, tags[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    model.eval()
    with torch.no_grad():
        scores = model(texts[1400:])
        probabilities = torch.sigmoid(scores) if is_independent else F.softmax(scores, dim=1)
        print("tags right", ((probabilities > 0.5) == tags[1400:].bool()).float().mean().item())


PROGRAM = Program(
    name="softmax-for-several-tags",
    train=_train,
    source="Islam et al. 2019 and StackOverflow: softmax instead of sigmoid for several labels",
    truth=Truth(
        rules=("softmax-for-several-labels", "loss-does-not-fall", "initial-loss", "softmax-before-cross-entropy", "saturated-units")
    ),
)
