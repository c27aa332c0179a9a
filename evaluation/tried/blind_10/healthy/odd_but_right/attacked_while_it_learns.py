"""Each picture is changed where it hurts most before the network learns from it, which needs a backward pass of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class Robust(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, stride=2)
        self.conv2 = nn.Conv2d(16, 24, 3, stride=2)
        self.fc = nn.Linear(216, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        return self.fc(x.flatten(1))


def attack(net: nn.Module, image: Tensor, label: Tensor, strength: float) -> Tensor:
    image = image.clone().requires_grad_()
    loss = nn.functional.cross_entropy(net(image), label)
    (gradient,) = torch.autograd.grad(loss, image)
    return (image + strength * gradient.sign()).detach()


def _train(setting: Setting) -> None:
    data = shapes(1200)
    net = Robust()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for step in range(160):
            rows = torch.randint(1200, (32,))
            image, label = data.images[rows], data.classes[rows]
            worse = attack(net, image, label, strength=0.1)
            loss = nn.functional.cross_entropy(net(worse), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="attacked-while-it-learns", train=_train, source="Goodfellow et al. 2015 and Madry et al. 2018, adversarial training"
)
