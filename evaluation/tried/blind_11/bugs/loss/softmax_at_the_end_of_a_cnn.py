"""The network ends with a softmax, and `CrossEntropyLoss` applies another."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class ConvNet(nn.Module):
    def __init__(self, num_classes: int, last: nn.Module) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.fc = nn.Linear(32 * 9, num_classes)
        self.last = last

    def forward(self, x: Tensor) -> Tensor:
        x = self.features(x)
        x = x.reshape(x.size(0), -1)
        return self.last(self.fc(x))


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    loader = DataLoader(TensorDataset((images - 0.4) / 0.3, labels), batch_size=50, shuffle=True)
    last = nn.Identity() if setting.is_fixed else nn.Softmax(dim=1)
    model = ConvNet(6, last)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    with setting.watch(model):
        for epoch in range(4):
            for i, (inputs, targets) in enumerate(loader):
                outputs = model(inputs)
                loss = criterion(outputs, targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if (i + 1) % 15 == 0:
                    accuracy = (outputs.argmax(1) == targets).float().mean().item()
                    print(f"Epoch [{epoch + 1}/4], Step [{i + 1}/30], Loss: {loss.item():.4f}, Accuracy: {accuracy:.2f}")


PROGRAM = Program(
    name="softmax-at-the-end-of-a-cnn",
    train=_train,
    source="PyTorch forum, 'Cross Entropy loss is not decreasing', https://discuss.pytorch.org/t/cross-entropy-loss-is-not-decreasing/43814/16",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.last", "model.last: output", "cross_entropy")),
)
