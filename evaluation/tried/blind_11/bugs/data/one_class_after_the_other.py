"""Pictures lie in a folder for each class and are read in this order: `shuffle=True` was given to no loader."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def build_cnn(classes: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(3),
        nn.Flatten(),
        nn.Linear(24 * 9, classes),
    )


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    order = labels.argsort()
    folder = TensorDataset(images[order[:1200]], labels[order[:1200]].clamp(max=4))
    train_loader = DataLoader(folder, batch_size=40, shuffle=setting.is_fixed)
    cnn = build_cnn(5)
    loss_function = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(cnn.parameters(), lr=2e-3)
    with setting.watch(cnn):
        for epoch in range(6):
            cnn.train()
            losses = []
            for batch_images, batch_labels in train_loader:
                optimizer.zero_grad()
                loss = loss_function(cnn(batch_images), batch_labels)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            cnn.eval()
            with torch.no_grad():
                guesses = torch.cat([cnn(batch).argmax(dim=1) for batch, _ in train_loader])
                truths = torch.cat([truth for _, truth in train_loader])
            per_class = [int((guesses == label).sum()) for label in range(5)]
            print(f"{epoch}: mean loss {sum(losses) / len(losses):.3f}, classes guessed {per_class} of {truths.bincount().tolist()}")


PROGRAM = Program(
    name="one-class-after-the-other",
    train=_train,
    source="PyTorch forum, ImageFolder without shuffle: the network predicts the class it saw last",
    truth=Truth(rules=("batches-not-shuffled", "oscillating-loss"), nodes=("cross_entropy: target", "cross_entropy", "model: input")),
)
