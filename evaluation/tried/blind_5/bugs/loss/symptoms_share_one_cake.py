"""A patient has several illnesses at once, and cross_entropy gets all of them as ones: the softmax lets them compete."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    symptoms = torch.randn(1800, 24)
    illnesses = (symptoms @ torch.randn(24, 6) / 5 + 0.2 * torch.randn(1800, 6) > 0.2).float()
    model = nn.Sequential(nn.Linear(24, 64), nn.GELU(), nn.Linear(64, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion: nn.Module = nn.BCEWithLogitsLoss() if is_fixed else nn.CrossEntropyLoss()
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1600).split(40):
                optimizer.zero_grad()
                loss = criterion(model(symptoms[chosen]), illnesses[chosen])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        logits = model(symptoms[1600:])
        said = logits > 0 if is_fixed else logits.softmax(1) > 0.5
    print("loss", loss.item(), "illnesses found", (said & illnesses[1600:].bool()).sum().item() / illnesses[1600:].sum().item())


PROGRAM = Program(
    name="symptoms-share-one-cake",
    train=_train,
    source="PyTorch forum, multi-label classification with CrossEntropyLoss; Humbatova et al. 2020: wrong loss function",
    truth=Truth(
        rules=("softmax-for-several-labels", "target-out-of-range", "loss-does-not-fall", "initial-loss"),
        nodes=("model: output", "model.2"),
    ),
)
