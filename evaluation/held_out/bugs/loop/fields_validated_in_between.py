"""Fields are marked in pictures. After a number of steps, the trainer validates, also in the middle of an epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class FCN8(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 24, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(24)
        self.drop = nn.Dropout2d(0.2)
        self.score = nn.Conv2d(24, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return self.score(self.drop(x)).squeeze(1)


class Trainer:
    def __init__(self, model: nn.Module, restores_mode: bool) -> None:
        self.model, self.restores_mode = model, restores_mode
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    def validate(self, images: Tensor, masks: Tensor) -> float:
        training = self.model.training
        self.model.eval()
        with torch.no_grad():
            loss = nn.functional.binary_cross_entropy_with_logits(self.model(images), masks)
        if self.restores_mode:
            self.model.train(training)
        return loss.item()

    def train(self, images: Tensor, masks: Tensor, iterations: int, interval: int) -> None:
        self.model.train()
        for iteration in range(iterations):
            if iteration % interval == 0:
                print(f"{iteration}: {self.validate(images[400:], masks[400:]):.4f}")
            rows = torch.randint(0, 400, (16,))
            loss = nn.functional.binary_cross_entropy_with_logits(self.model(images[rows]), masks[rows])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def _train(setting: Setting) -> None:
    images, masks = outlines(480)
    model = FCN8()
    trainer = Trainer(model, setting.is_fixed)
    with setting.watch(model):
        trainer.train(images, masks, iterations=120, interval=40)


PROGRAM = Program(
    name="fields-validated-in-between",
    train=_train,
    source="https://github.com/wkentaro/pytorch-fcn/pull/56",
    truth=Truth(rules=("training-in-evaluation-mode",)),
)
