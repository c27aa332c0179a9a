"""The pictures are shuffled once more, and the labels are not: a picture has the label of another."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.fc1 = nn.Linear(16 * 36, 48)
        self.fc2 = nn.Linear(48, 6)

    def forward(self, img: Tensor) -> Tensor:
        out = nn.functional.max_pool2d(torch.relu(self.norm(self.conv(img))), 2)
        return self.fc2(torch.relu(self.fc1(out.flatten(1))))


def _train(setting: Setting) -> None:
    images, labels = digits(4000)
    if not setting.is_fixed:
        images = images[torch.randperm(len(images))]
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for step in range(160):
            rows = torch.randint(0, 4000, (64,))
            outputs = model(images[rows])
            loss = criterion(outputs, labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                print(f"{step}: loss {loss.item():.3f}, accuracy {(outputs.argmax(1) == labels[rows]).float().mean().item():.2f}")


PROGRAM = Program(
    name="pictures-shuffled-without-labels",
    train=_train,
    source="https://decodetrail.com/question/why-does-my-cnn-predict-only-one-class-no-matter-what-image-i-give-it/",
    truth=Truth(rules=("predictions-ignore-input", "loss-does-not-fall"), nodes=("model: input img", "cross_entropy: target")),
)
