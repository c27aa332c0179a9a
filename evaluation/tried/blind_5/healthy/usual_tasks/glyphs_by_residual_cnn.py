"""A residual network with batch normalization names glyphs, and is validated after each epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        return torch.relu(x + inner)


def _train(setting: Setting) -> None:
    images, labels = digits(count=1400)
    images = (images - images.mean()) / images.std()
    loader = DataLoader(TensorDataset(images[:1200], labels[:1200]), batch_size=40, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1, bias=False),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        nn.MaxPool2d(2),
        _Block(12),
        _Block(12),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(48, 6),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.05, total_steps=5 * len(loader))
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                scheduler.step()
            model.eval()
            with torch.no_grad():
                print(epoch, loss.item(), (model(images[1200:]).argmax(1) == labels[1200:]).float().mean().item())


PROGRAM = Program(name="glyphs-by-residual-cnn", train=_train, source="He et al. 2016; torchvision's references")
