"""A convolutional network with batch normalization and random flips, trained by Adam."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _block(channels_in: int, channels_out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, 3, padding=1, bias=False), nn.BatchNorm2d(channels_out), nn.ReLU(), nn.MaxPool2d(2)
    )


def _flipped(images: Tensor) -> Tensor:
    chosen = torch.rand(len(images)) < 0.5
    return torch.where(chosen[:, None, None, None], images.flip(3), images)


def _train(setting: Setting) -> None:
    motifs = torch.randn(5, 3, 16, 16)
    labels = torch.randint(0, 5, (900,))
    images = _flipped(motifs[labels] + 1.5 * torch.randn(900, 3, 16, 16))
    model = nn.Sequential(_block(3, 12), _block(12, 24), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(96, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            model.train()
            for index in torch.randperm(700).split(35):
                loss = nn.functional.cross_entropy(model(_flipped(images[index])), labels[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print("accuracy", (model(images[700:]).argmax(1) == labels[700:]).float().mean().item())


PROGRAM = Program(name="cnn-for-color-images", train=_train, source="PyTorch tutorials: training a classifier")
