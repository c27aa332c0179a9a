"""The network is validated without `eval()`: units are dropped, and pictures of validation move the running means."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 12, 3, stride=2)
        self.norm1 = nn.BatchNorm2d(12)
        self.conv2 = nn.Conv2d(12, 16, 3, stride=2)
        self.norm2 = nn.BatchNorm2d(16)
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(64, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.norm1(self.conv1(x)))
        x = torch.relu(self.norm2(self.conv2(x)))
        return self.fc(self.drop(x.flatten(1)))


@torch.no_grad()
def validate(net: nn.Module, images: Tensor, angles: Tensor) -> float:
    hits = sum(int((net(image).argmax(1) == angle).sum()) for image, angle in zip(images.split(15), angles.split(15), strict=True))
    return hits / len(images)


def _train(setting: Setting) -> None:
    images, angles = gratings(1200)
    shown, shown_angles = gratings(300)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for epoch in range(5):
            net.train()
            for rows in torch.randperm(1200).split(48):
                loss = nn.functional.cross_entropy(net(images[rows]), angles[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if setting.is_fixed:
                net.eval()
            print(f"epoch {epoch}: {loss.item():.3f}, validation {validate(net, shown, shown_angles):.2f}")


PROGRAM = Program(
    name="validated-as-if-it-trained",
    train=_train,
    source="Humbatova et al. 2020 and UMLAUT (Schoop et al. 2021), validation in training mode",
    truth=Truth(
        rules=("evaluation-in-training-mode", "evaluation-changes-buffers"),
        nodes=("model", "model.norm1", "model.norm2", "model.drop", "model.norm1.running_mean", "model.norm2.running_mean"),
    ),
)
