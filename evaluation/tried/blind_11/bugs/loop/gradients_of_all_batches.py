"""`optimizer.zero_grad()` is missing: every step uses the sum of all gradients so far."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


def make_net() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 16, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 4, 64),
        nn.ReLU(),
        nn.Linear(64, 4),
    )


def _train(setting: Setting) -> None:
    images, angles = gratings(1600)
    trainloader = DataLoader(TensorDataset(images, angles), batch_size=32, shuffle=True)
    net = make_net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(net):
        for epoch in range(4):
            running_loss = 0.0
            for i, data in enumerate(trainloader):
                inputs, labels = data
                if setting.is_fixed:
                    optimizer.zero_grad()
                outputs = net(inputs)
                loss = criterion(outputs, labels)
                loss.backward()
                optimizer.step()
                running_loss += loss.item()
                if i % 25 == 24:
                    print(f"[{epoch + 1}, {i + 1:5d}] loss: {running_loss / 25:.3f}")
                    running_loss = 0.0


PROGRAM = Program(
    name="gradients-of-all-batches",
    train=_train,
    source="PyTorch forum and Stack Overflow, the loss does not fall or explodes because optimizer.zero_grad() is missing",
    truth=Truth(rules=("gradients-left-over",)),
)
