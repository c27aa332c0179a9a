"""Samples and labels are shuffled one after the other, each with its own permutation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


class SoundNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(1, 16, 7, stride=2, padding=3)
        self.bn1 = nn.BatchNorm1d(16)
        self.conv2 = nn.Conv1d(16, 32, 5, stride=2, padding=2)
        self.bn2 = nn.BatchNorm1d(32)
        self.fc = nn.Linear(32 * 16, 4)

    def forward(self, sound: Tensor) -> Tensor:
        x = torch.relu(self.bn1(self.conv1(sound)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return self.fc(x.flatten(1))


def shuffle(data: Tensor, labels: Tensor, together: bool) -> tuple[Tensor, Tensor]:
    order = torch.randperm(len(data))
    return data[order], labels[order if together else torch.randperm(len(labels))]


def _train(setting: Setting) -> None:
    sounds, labels = tones(1600)
    sounds, labels = shuffle(sounds, labels, together=setting.is_fixed)
    x_train, y_train, x_val, y_val = sounds[:1400], labels[:1400], sounds[1400:], labels[1400:]
    net = SoundNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for epoch in range(4):
            net.train()
            train_loss = 0.0
            for i in range(0, 1400, 50):
                output = net(x_train[i : i + 50])
                loss = nn.functional.cross_entropy(output, y_train[i : i + 50])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                train_loss += loss.item() / 28
            net.eval()
            with torch.no_grad():
                val_acc = (net(x_val).argmax(1) == y_val).float().mean().item()
            print(f"epoch {epoch}: train loss {train_loss:.3f}, val acc {val_acc:.3f}")


PROGRAM = Program(
    name="labels-shuffled-on-their-own",
    train=_train,
    source="Stack Overflow, 'shuffle features and labels in unison'; pages on networks that guess, 'images shuffled but not labels'",
    truth=Truth(
        rules=("loss-does-not-fall", "predictions-ignore-input", "overfitting"),
        nodes=("cross_entropy: target", "cross_entropy", "model: input sound"),
    ),
)
