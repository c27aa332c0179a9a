"""SGD with momentum and a rate of 0.5: after a few steps the units are dead, and the loss is that of a guess for ever."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 4, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = torch.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.relu(self.fc1(x.flatten(1)))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


def _train(setting: Setting) -> None:
    data = shapes(1500)
    train_loader = DataLoader(TensorDataset(data.images, data.classes), batch_size=50, shuffle=True)
    net = LeNet()
    lr = 0.03 if setting.is_fixed else 0.5
    optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(net):
        for epoch in range(6):
            running_loss, correct = 0.0, 0
            for inputs, labels in train_loader:
                optimizer.zero_grad()
                outputs = net(inputs)
                loss = criterion(outputs, labels)
                loss.backward()
                optimizer.step()
                running_loss += loss.item()
                correct += int((outputs.argmax(dim=1) == labels).sum())
            print(f"[{epoch + 1}] loss: {running_loss / len(train_loader):.3f} accuracy: {correct / 1500:.3f}")


PROGRAM = Program(
    name="rate-of-a-half-for-a-cnn",
    train=_train,
    source="devgem.io, 'Troubleshooting Stagnant Training Metrics in LeNet', and GitHub FluxML/model-zoo#220, a learning rate too high",
    truth=Truth(rules=("updates-too-large", "dead-relu", "loss-does-not-fall")),
)
