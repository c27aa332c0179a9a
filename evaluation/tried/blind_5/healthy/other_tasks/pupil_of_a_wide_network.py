"""A narrow network learns from the labels and from the softened answers of a wide one that was trained before."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    images, labels = digits(count=1500, size=10)
    images = (images - images.mean()) / images.std()
    teacher = nn.Sequential(nn.Flatten(), nn.Linear(100, 128), nn.ReLU(), nn.Linear(128, 6))
    optimizer = torch.optim.Adam(teacher.parameters(), lr=2e-3)
    for _ in range(150):
        chosen = torch.randint(0, 1200, (60,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(teacher(images[chosen]), labels[chosen]).backward()
        optimizer.step()
    teacher.requires_grad_(False).eval()
    pupil = nn.Sequential(nn.Flatten(), nn.Linear(100, 24), nn.ReLU(), nn.Linear(24, 6))
    optimizer = torch.optim.Adam(pupil.parameters(), lr=3e-3)
    warmth = 2.0
    with setting.watch(pupil):
        for epoch in range(8):
            for chosen in torch.randperm(1200).split(40):
                logits = pupil(images[chosen])
                soft = (teacher(images[chosen]) / warmth).softmax(1)
                imitation = nn.functional.kl_div((logits / warmth).log_softmax(1), soft, reduction="batchmean") * warmth**2
                loss = 0.5 * imitation + 0.5 * nn.functional.cross_entropy(logits, labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                right = pupil(images[1200:]).argmax(1) == labels[1200:]
            print(epoch, loss.item(), right.float().mean().item())


PROGRAM = Program(name="pupil-of-a-wide-network", train=_train, source="Hinton et al. 2015: distillation")
