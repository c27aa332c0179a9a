"""A head for segmentation ends with a softmax over channels, as it should in use, and the cross entropy takes another one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def block(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inside, outside, 3, stride, 1), nn.BatchNorm2d(outside), nn.ReLU())


class Segmenter(nn.Module):
    def __init__(self, classes: int, probabilities: bool) -> None:
        super().__init__()
        self.down = nn.Sequential(block(1, 12), block(12, 24, stride=2))
        self.up = nn.ConvTranspose2d(24, 12, 2, stride=2)
        self.head = nn.Conv2d(12, classes, 1)
        self.probabilities = nn.Softmax(dim=1) if probabilities else nn.Identity()

    def forward(self, image: Tensor) -> Tensor:
        return self.probabilities(self.head(torch.relu(self.up(self.down(image)))))


def _train(setting: Setting) -> None:
    data = shapes(900, noise=0.5)
    wanted = data.masks[:, 0].long()
    model = Segmenter(2, probabilities=not setting.is_fixed)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(100):
            rows = torch.randint(len(wanted), (24,))
            output = model(data.images[rows])
            loss = criterion(output, wanted[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                right = (output.argmax(1) == wanted[rows])[wanted[rows] > 0].float().mean()
                print(f"{step}: {loss.item():.3f}, shapes {right.item():.2f}")


PROGRAM = Program(
    name="softmax-in-a-segmentation-head",
    train=_train,
    source="Humbatova et al. 2020, wrong activation for the loss; PyTorch forum, softmax before CrossEntropyLoss",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=("model.probabilities", "model.probabilities: output", "cross_entropy"),
    ),
)
