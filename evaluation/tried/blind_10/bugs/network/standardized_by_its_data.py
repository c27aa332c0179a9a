"""Convolutions standardize their weight, and read it by `.data`. What they compute with has no connection to the parameter."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class WsConv(nn.Conv2d):
    """A convolution with a standardized weight."""

    through_data = False

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight.data if self.through_data else self.weight
        mean, std = weight.mean(dim=(1, 2, 3), keepdim=True), weight.std(dim=(1, 2, 3), keepdim=True)
        return self._conv_forward(x, (weight - mean) / (std + 1e-5) / weight[0].numel() ** 0.5, self.bias)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = WsConv(1, 16, 3, stride=2, padding=1)
        self.norm1 = nn.GroupNorm(4, 16)
        self.conv2 = WsConv(16, 24, 3, stride=2, padding=1)
        self.norm2 = nn.GroupNorm(4, 24)
        self.fc = nn.Linear(384, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.norm1(self.conv1(x)))
        x = torch.relu(self.norm2(self.conv2(x)))
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    data = shapes(1000, noise=0.5)
    net = Net()
    for module in net.modules():
        if isinstance(module, WsConv):
            module.through_data = not setting.is_fixed
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(net):
        for step in range(120):
            rows = torch.randint(1000, (32,))
            loss = nn.functional.cross_entropy(net(data.images[rows]), data.classes[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="standardized-by-its-data",
    train=_train,
    source="Web pages on layers that detach their weight; Qiao et al. 2019, weight standardization",
    truth=Truth(
        rules=("cut-path", "no-gradient", "never-updated", "frozen-as-initialized"),
        nodes=tuple(f"model.conv{n}{part}" for n in (1, 2) for part in ("", ".weight", ": output")),
    ),
)
