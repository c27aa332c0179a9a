"""`model.train()` is called once, before the first epoch. From the first validation on it trains in evaluation mode."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class BnNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 24, 3, padding=1, stride=2)
        self.bn2 = nn.BatchNorm2d(24)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(24 * 49, 4)

    def forward(self, image: Tensor) -> Tensor:
        x = torch.relu(self.bn1(self.conv1(image)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return self.fc(self.drop(x.flatten(1)))


@torch.no_grad()
def validate(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    model.eval()
    return (model(images).argmax(dim=1) == labels).float().mean().item()


def _train(setting: Setting) -> None:
    images, labels = gratings(1300)
    model = BnNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    with setting.watch(model):
        for epoch in range(5):
            if setting.is_fixed:
                model.train()
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}, validation {validate(model, images[1000:], labels[1000:]):.3f}")


PROGRAM = Program(
    name="validated-once-and-left-in-eval",
    train=_train,
    source="PyTorch forum, model.eval() in the validation loop and no model.train() after it",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model", "model.bn1", "model.bn2", "model.drop")),
)
