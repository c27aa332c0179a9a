"""Adam with a rate of 1e-6, as for the last epochs of fine tuning, from random weights: the loss falls in the third digit."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


class AudioClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 9, stride=2, padding=4),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Conv1d(16, 32, 9, stride=2, padding=4),
            nn.BatchNorm1d(32),
            nn.ReLU(),
        )
        self.lin = nn.Linear(32 * 16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.lin(self.conv(x).flatten(1))


def _train(setting: Setting) -> None:
    sounds, slopes = tones(1600)
    train_dl = DataLoader(TensorDataset(sounds, slopes), batch_size=40, shuffle=True)
    model = AudioClassifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3 if setting.is_fixed else 1e-6)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(4):
            running_loss, correct_prediction = 0.0, 0
            for inputs, labels in train_dl:
                optimizer.zero_grad()
                outputs = model(inputs)
                loss = criterion(outputs, labels)
                loss.backward()
                optimizer.step()
                running_loss += loss.item()
                correct_prediction += int((outputs.argmax(dim=1) == labels).sum())
            print(f"Epoch: {epoch}, Loss: {running_loss / len(train_dl):.4f}, Accuracy: {correct_prediction / 1600:.3f}")


PROGRAM = Program(
    name="one-millionth-from-scratch",
    train=_train,
    source="taourl.com/read-3046856 (lr=0.000001) and PyTorch forum, accuracy does not change: the learning rate is too low",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
