"""Which of seven fruits it is is learned as a number from 0 to 6, as if a plum were between an apple and a pear."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class FruitNet(nn.Module):
    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.answer = nn.Linear(48, outputs)

    def forward(self, spectrum: Tensor) -> Tensor:
        return self.answer(self.features(spectrum))


def regression(output: Tensor, kind: Tensor) -> Tensor:
    return nn.functional.mse_loss(output, kind.float().unsqueeze(1))


def _train(setting: Setting) -> None:
    spectrum, kind = class_blobs(1800, features=16, classes=7)
    outputs, criterion = (7, nn.functional.cross_entropy) if setting.is_fixed else (1, regression)
    model = FruitNet(outputs)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(180):
            rows = torch.randint(1800, (64,))
            output = model(spectrum[rows])
            loss = criterion(output, kind[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 45 == 44:
                guess = output.argmax(1) if outputs > 1 else output.round().long()[:, 0]
                print(f"{step}: {loss.item():.3f}, accuracy {(guess == kind[rows]).float().mean().item():.2f}")


PROGRAM = Program(
    name="fruits-are-regressed",
    train=_train,
    source="Humbatova et al. 2020, wrong selection of the loss function; Cao et al. 2022",
    truth=Truth(rules=("class-numbers-as-target",), nodes=("mse_loss", "mse_loss: target", "model.answer")),
)
