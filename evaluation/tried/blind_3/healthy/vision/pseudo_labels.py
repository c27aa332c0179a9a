"""Semi-supervised: 120 pictures have labels, and confident guesses about weakly changed pictures teach strongly changed ones."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting
from evaluation.worlds import gratings


def _train(setting: Setting) -> None:
    images, angles = gratings(1100)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2),
        nn.GroupNorm(4, 16),
        nn.ReLU(),
        nn.Conv2d(16, 24, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(96, 4),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
    with setting.watch(model):
        for _ in range(200):
            known = torch.randint(120, (16,))
            unknown = images[120 + torch.randint(980, (48,))]
            weak = unknown.roll(int(torch.randint(-1, 2, ())), 3)
            strong = unknown + 0.5 * torch.randn_like(unknown)
            with torch.no_grad():
                confidence, guess = model(weak).softmax(dim=1).max(dim=1)
            logits = model(torch.cat([images[known], strong]))
            supervised = F.cross_entropy(logits[:16], angles[known])
            guessed = (F.cross_entropy(logits[16:], guess, reduction="none") * (confidence > 0.9)).mean()
            optimizer.zero_grad()
            (supervised + guessed).backward()
            optimizer.step()


PROGRAM = Program(name="pseudo-labels", train=_train, source="Sohn et al. 2020 (FixMatch)")
