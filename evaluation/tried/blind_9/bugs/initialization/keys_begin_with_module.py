"""A checkpoint of `DataParallel` is loaded with `strict=False`. No key fits, nothing is loaded, and the body is frozen at random."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Net(nn.Module):
    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten()
        )
        self.bottleneck = nn.Linear(128, 12)
        self.head = nn.Linear(12, outputs)

    def forward(self, image: Tensor) -> Tensor:
        return self.head(torch.relu(self.bottleneck(self.body(image))))


def pretrain() -> dict[str, Tensor]:
    net = Net(2)
    data = shapes(1500)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(150):
        rows = torch.randint(1500, (48,))
        loss = nn.functional.mse_loss(net(data.images[rows]), data.centers[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    weights = {key: value for key, value in net.state_dict().items() if not key.startswith("head")}
    return {f"module.{key}": value for key, value in weights.items()}


def _train(setting: Setting) -> None:
    checkpoint = pretrain()
    if setting.is_fixed:
        checkpoint = {key.removeprefix("module."): value for key, value in checkpoint.items()}
    data = shapes(800)
    quarter = (data.centers[:, 0] > 0).long() * 2 + (data.centers[:, 1] > 0).long()
    model = Net(4)
    model.load_state_dict(checkpoint, strict=False)
    for parameter in (*model.body.parameters(), *model.bottleneck.parameters()):
        parameter.requires_grad = False
    optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-2)
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(800, (40,))
            loss = nn.functional.cross_entropy(model(data.images[rows]), quarter[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="keys-begin-with-module",
    train=_train,
    source="PyTorch forum, strict=False and the prefix 'module.' of DataParallel",
    truth=Truth(
        rules=("frozen-as-initialized",),
        nodes=("model.body", "model.bottleneck", "model.body.0", "model.body.2", "model.body.0.weight", "model.bottleneck.weight"),
    ),
)
