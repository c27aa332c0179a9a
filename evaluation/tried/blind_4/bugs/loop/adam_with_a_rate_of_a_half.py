"""Adam gets a learning rate of 0.5, which somebody took from a script with SGD."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    garments = (torch.rand(7, 1, 12, 12) > 0.6).float()
    labels = torch.randint(0, 7, (1200,))
    images = garments[labels] + 0.4 * torch.randn(1200, 1, 12, 12)
    images = (images - images.mean()) / images.std()
    loader = DataLoader(TensorDataset(images, labels), batch_size=30, shuffle=True, drop_last=True)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 40), nn.ReLU(),
        nn.Linear(40, 7),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001 if setting.is_fixed else 0.5)
    with setting.watch(model):
        for _ in range(7):
            right = 0
            for x, y in loader:
                output = model(x)
                loss = nn.functional.cross_entropy(output, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((output.argmax(1) == y).sum())
            print("accuracy", right / 1200)


PROGRAM = Program(
    name="adam-with-a-rate-of-a-half",
    train=_train,
    source="Humbatova et al. 2020, hyperparameters: suboptimal learning rate; Cao et al. 2022, DeepFD",
    truth=Truth(
        rules=(
            "updates-too-large", "diverging-loss", "dead-relu", "predictions-ignore-input", "runaway-growth", "loss-does-not-fall",
            "same-for-all-samples", "dormant-units", "zero-gradient", "gradient-spike", "exploding-gradient", "logit-growth",
        )
    ),
)  # fmt: skip
