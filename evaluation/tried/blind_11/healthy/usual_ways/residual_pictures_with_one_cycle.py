"""Pictures by a small residual network with batch norm, flips of color channels, label smoothing and a one-cycle schedule."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        out = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(out)))


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, stride=2, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.stage1 = Block(16)
        self.down = nn.Conv2d(16, 32, 3, padding=1, stride=2)
        self.stage2 = Block(32)
        self.head = nn.Linear(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stage2(self.down(self.stage1(self.stem(x))))
        return self.head(x.mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    images, angles = gratings(1300)
    train_set = DataLoader(TensorDataset(images[:1000], angles[:1000]), batch_size=40, shuffle=True)
    net = ResNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, epochs=5, steps_per_epoch=len(train_set))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    with setting.watch(net):
        for epoch in range(5):
            net.train()
            for x, y in train_set:
                x = x[:, torch.randperm(3)]
                loss = criterion(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
            net.eval()
            with torch.no_grad():
                accuracy = (net(images[1000:]).argmax(1) == angles[1000:]).float().mean().item()
            print(f"epoch {epoch}: loss {loss.item():.4f}, validation accuracy {accuracy:.3f}")


PROGRAM = Program(name="residual-pictures-with-one-cycle", train=_train, source="He et al. 2016; Smith 2018, one-cycle schedule")
