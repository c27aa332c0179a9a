"""Photos are standardized when they are loaded, and a hook of the trainer standardizes what it gets."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth

MEAN, STD = 128.0, 62.0


def _load_image(images: Tensor) -> Tensor:
    return (images - MEAN) / STD


def _train_hook(images: Tensor) -> Tensor:
    return (images - MEAN) / STD


def _train(setting: Setting) -> None:
    images, labels = photos(900)
    images = _train_hook(images) if setting.is_fixed else _train_hook(_load_image(images))
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 16, 4),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(900).split(36):
                output = model(images[rows])
                loss = nn.functional.cross_entropy(output, labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            accuracy = (output.argmax(dim=1) == labels[rows]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, accuracy {accuracy.item():.3f}")


PROGRAM = Program(
    name="loaded-and-hooked",
    train=_train,
    source="https://github.com/soumith/imagenet-multiGPU.torch/pull/18",
    truth=Truth(
        rules=("input-not-normalized", "constant-input", "same-for-all-samples"),
        nodes=("model: input", "model.0: input"),
    ),
)
