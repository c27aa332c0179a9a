"""Pictures are divided by 255 where they are loaded, and again in the transform. They are nearly black."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(16 * 9, 6)

    def forward(self, images: Tensor) -> Tensor:
        x = self.pool(torch.relu(self.conv1(images)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc(x.flatten(1))


def load() -> tuple[Tensor, Tensor]:
    pictures, labels = digits(1200)
    stored = (pictures * 255).to(torch.uint8)
    return stored.float() / 255, labels


def _train(setting: Setting) -> None:
    pictures, labels = load()
    if not setting.is_fixed:
        pictures = pictures / 255
    loader = DataLoader(TensorDataset(pictures, labels), batch_size=40, shuffle=True)
    model = Classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(5):
            correct = 0
            for x, y in loader:
                scores = model(x)
                loss = nn.functional.cross_entropy(scores, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                correct += int((scores.argmax(1) == y).sum())
            print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {correct / len(labels):.2f}")


PROGRAM = Program(
    name="pixels-divided-twice",
    train=_train,
    source="Stack Overflow, rescaling by 1/255 on top of ToTensor; UMLAUT (Schoop et al. 2021), input out of range",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input images",)),
)
