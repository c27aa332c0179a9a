"""Someone's `weights_init` draws all weights with a deviation of 0.002: behind five layers nothing is left of the input."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def tiny(weight: Tensor) -> None:
    nn.init.normal_(weight, mean=0.0, std=0.002)


def for_relu(weight: Tensor) -> None:
    nn.init.kaiming_normal_(weight, nonlinearity="relu")


def weights_init(module: nn.Module, draw: Callable[[Tensor], None]) -> None:
    if isinstance(module, nn.Conv2d | nn.Linear):
        draw(module.weight)
        nn.init.zeros_(module.bias)  # type: ignore[arg-type]


def _train(setting: Setting) -> None:
    images, labels = digits(1000)
    images = (images - images.mean()) / images.std()
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(144, 48),
        nn.ReLU(),
        nn.Linear(48, 6),
    )
    draw = for_relu if setting.is_fixed else tiny
    net.apply(lambda module: weights_init(module, draw))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for epoch in range(5):
            for image, label in DataLoader(TensorDataset(images, labels), batch_size=40, shuffle=True):
                loss = nn.functional.cross_entropy(net(image), label)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="thousandths-in-every-layer",
    train=_train,
    source="Glorot and Bengio 2010; AUTOTRAINER (Zhang et al. 2021), vanishing gradients; forum on DCGAN's weights_init elsewhere",
    truth=Truth(
        rules=(
            "vanishing-gradient",
            "same-for-all-samples",
            "updates-too-small",
            "loss-does-not-fall",
            "predictions-ignore-input",
            "weights-collapse",
        ),
        nodes=tuple(f"model.{n}{part}" for n in (0, 2, 4, 7, 9) for part in ("", ".weight", ": output")),
    ),
)
