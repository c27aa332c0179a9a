"""A decay of the weights that is meant to be small is 1: everything shrinks to nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class FaceNet(nn.Module):
    def __init__(self, people: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.embedding = nn.Linear(512, 32)
        self.softmax_layer = nn.Linear(32, people)

    def forward(self, face: Tensor) -> Tensor:
        h = torch.relu(self.conv2(torch.relu(self.conv1(face)))).flatten(1)
        return self.softmax_layer(torch.relu(self.embedding(h)))


def _train(setting: Setting) -> None:
    pixels, people = photos(900, classes=5)
    faces = (pixels - 127.5) / 128
    model = FaceNet(5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, weight_decay=5e-4 if setting.is_fixed else 1.0)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(900).split(36):
                loss = nn.functional.cross_entropy(model(faces[rows]), people[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            norm = sum(p.norm().item() for p in model.parameters())
            print(f"epoch {epoch}: {loss.item():.4f}, norms {norm:.4f}")


PROGRAM = Program(
    name="decay-of-the-softmax-layer",
    train=_train,
    source="https://github.com/Joker316701882/Additive-Margin-Softmax/issues/16",
    truth=Truth(rules=("weights-collapse", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "vanishing-gradient")),
)
