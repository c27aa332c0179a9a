"""The encoder still runs under `no_grad`, from when it was only evaluated."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Siamese(nn.Module):
    def __init__(self, train_encoder: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(288, 32))
        self.head = nn.Linear(32, 1)
        self.train_encoder = train_encoder

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        with torch.set_grad_enabled(self.train_encoder and torch.is_grad_enabled()):
            difference = (self.encoder(left) - self.encoder(right)).abs()
        return self.head(difference).squeeze(1)


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = Siamese(train_encoder=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(500, 64, images, labels):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x[:32], x[32:]), (y[:32] == y[32:]).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="encoder-under-no-grad",
    train=_train,
    source="PyTorch forum, frozen by no_grad",
    truth=Truth(
        rules=("cut-path", "no-gradient"),
        nodes=("model.encoder", "model.encoder.0", "model.encoder.4", "model.head: input", "model.encoder: output"),
    ),
)
