"""A recurrent network learns signs from videos of hands, and is validated after every epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import tunes
from evaluation.program import Program, Setting, Truth


class SignNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(4, 96, batch_first=True)
        self.fc = nn.Linear(96, 4)

    def forward(self, frames: Tensor) -> Tensor:
        hidden, _ = self.gru(frames)
        return self.fc(hidden[:, -1])


def _train(setting: Setting) -> None:
    waves, labels = tunes(2400, length=40)
    frames = waves.view(2400, 10, 4) + 0.8 * torch.randn(2400, 10, 4)
    count = 2000 if setting.is_fixed else 40
    model = SignNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(max(4, 2600 // count)):
            model.train()
            for rows in torch.randperm(count).split(40):
                loss = nn.functional.cross_entropy(model(frames[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                validation = nn.functional.cross_entropy(model(frames[2000:]), labels[2000:])
            print(f"epoch {epoch}: training {loss.item():.4f}, validation {validation.item():.4f}")


PROGRAM = Program(
    name="signs-on-few-videos",
    train=_train,
    source="https://solutionfall.com/question/why-does-the-validation-loss-increase-after-40-epochs-while-the-training-loss-decreases",
    truth=Truth(rules=("overfitting",)),
)
