"""Pictures are between 0 and 1 already, and are then normalized as if they were bytes. Every pixel is almost -1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def to_tensor(picture: Tensor) -> Tensor:
    """Bytes to numbers from 0 to 1."""
    return picture.float() / 255


class Normalize:
    def __init__(self, mean: float, std: float) -> None:
        self.mean = mean
        self.std = std

    def __call__(self, picture: Tensor) -> Tensor:
        return (picture - self.mean) / self.std


def _train(setting: Setting) -> None:
    data = shapes(1200)
    pictures = (120 + 40 * data.images).clamp(0, 255).byte()
    normalize = Normalize(0.5, 0.25) if setting.is_fixed else Normalize(127.5, 128)
    net = nn.Sequential(
        nn.Conv2d(1, 12, 3, stride=2),
        nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(216, 4),
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step in range(160):
            rows = torch.randint(1200, (32,))
            loss = nn.functional.cross_entropy(net(normalize(to_tensor(pictures[rows]))), data.classes[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="normalized-as-bytes",
    train=_train,
    source="GitHub issues on ToTensor followed by a normalization for bytes",
    truth=Truth(
        rules=("input-not-normalized", "constant-input", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model: input", "model: input input", "model.0", "model.0: output", "model.5", "model.5: output"),
    ),
)
