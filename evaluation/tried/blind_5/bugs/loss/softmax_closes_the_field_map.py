"""A network that marks crops in aerial images ends in a softmax over the channels, and CrossEntropyLoss takes another."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    crops = nn.functional.interpolate(torch.randint(0, 5, (400, 1, 4, 4)).float(), scale_factor=4).long()[:, 0]
    images = torch.randn(5, 3)[crops].movedim(-1, 1) + 0.8 * torch.randn(400, 3, 16, 16)
    layers: list[nn.Module] = [
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 5, 1),
    ]
    if not setting.is_fixed:
        layers.append(nn.Softmax(dim=1))
    model = nn.Sequential(*layers)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(model):
        for _ in range(15):
            for chosen in torch.randperm(360).split(24):
                loss = criterion(model(images[chosen]), crops[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        right = model(images[360:]).argmax(1) == crops[360:]
    print("loss", loss.item(), "pixels right", right.float().mean().item())


PROGRAM = Program(
    name="softmax-closes-the-field-map",
    train=_train,
    source="Humbatova et al. 2020: redundant softmax; PyTorch forum, softmax and CrossEntropyLoss",
    truth=Truth(rules=("softmax-before-cross-entropy", "loss-does-not-fall"), nodes=("model.5", "model.4", "model: output")),
)
