"""Pictures are read as numbers from 0 to 255 and go into the network like that. The loss stays near that of a guess."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 3 * 3, 64)
        self.fc2 = nn.Linear(64, 6)

    def forward(self, images: Tensor) -> Tensor:
        x = self.pool(torch.relu(self.conv1(images)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


def _train(setting: Setting) -> None:
    pixels, labels = digits(1200)
    images = (pixels * 255).round()
    if setting.is_fixed:
        images = (images / 255 - 0.5) / 0.5
    loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)
    net = Net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    with setting.watch(net):
        for epoch in range(4):
            running_loss, correct = 0.0, 0
            for inputs, targets in loader:
                optimizer.zero_grad()
                outputs = net(inputs)
                loss = criterion(outputs, targets)
                loss.backward()
                optimizer.step()
                running_loss += loss.item()
                correct += int((outputs.argmax(1) == targets).sum())
            print(f"epoch {epoch + 1}: loss {running_loss / len(loader):.3f}, accuracy {correct / 1200:.3f}")


PROGRAM = Program(
    name="photos-from-zero-to-255",
    train=_train,
    source="Stack Overflow and PyTorch forum, CNN stuck at the loss of a guess because pictures were not scaled (ToTensor, Normalize)",
    truth=Truth(rules=("input-not-normalized", "dead-relu"), nodes=("model: input images",)),
)
