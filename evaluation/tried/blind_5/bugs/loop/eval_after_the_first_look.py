"""The model is put into evaluation mode to print its first accuracy, and nothing puts it back."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _accuracy(model: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> float:
    model.eval()
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def _train(setting: Setting) -> None:
    images, labels = digits(count=1400)
    images = (images - images.mean()) / images.std()
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(12 * 25, 6)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(model):
        print("before", _accuracy(model, images[1200:], labels[1200:]))
        for _ in range(5):
            if setting.is_fixed:
                model.train()
            for chosen in torch.randperm(1200).split(40):
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print("accuracy", _accuracy(model, images[1200:], labels[1200:]), "running mean", next(model.buffers()).abs().max().item())


PROGRAM = Program(
    name="eval-after-the-first-look",
    train=_train,
    source="Karpathy's common mistakes: you forgot to toggle train/eval mode for the net",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model", "model.1", "model.5")),
)
