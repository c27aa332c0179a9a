"""All filters of a convolution begin with the same constant, so all channels compute the same."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def constant_init(module: nn.Module) -> None:
    if isinstance(module, nn.Conv2d):
        nn.init.constant_(module.weight, 0.05)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def _train(setting: Setting) -> None:
    pictures = shapes(1000, size=12)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    head = nn.Linear(16, 4)
    network = nn.Sequential(model, head)
    if not setting.is_fixed:
        network.apply(constant_init)
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    with setting.watch(network):
        for epoch in range(8):
            right = 0
            for image, label in batches(31, 32, pictures.images, pictures.classes):
                logits = network(image)
                loss = nn.functional.cross_entropy(logits, label)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((logits.argmax(dim=1) == label).sum())
            print(f"epoch {epoch} accuracy {right / 992:.3f}")


PROGRAM = Program(
    name="filters-of-ones",
    train=_train,
    source="DeepCrime (WCI, constant), Humbatova et al. 2020 (wrong weight initialization)",
    truth=Truth(rules=("equal-weights",), nodes=("model.0.0.weight", "model.0.3.weight", "model.0.0", "model.0.3")),
)
