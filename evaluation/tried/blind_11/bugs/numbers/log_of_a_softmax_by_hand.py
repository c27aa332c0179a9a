"""Cross entropy by hand, `-(target * log(softmax)).sum()`: a chance of 0 comes up sooner or later, and 0 * log 0 is NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(2, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return torch.softmax(self.fc3(x), dim=1)


def my_cross_entropy(chances: Tensor, targets: Tensor, epsilon: float) -> Tensor:
    return -(targets * torch.log(chances + epsilon)).sum(dim=1).mean()


def _train(setting: Setting) -> None:
    points, arms = spirals(1200)
    # The coordinates of one click are in pixels of the screen.
    points[200 * 5 + 3] = torch.tensor([900.0, -420.0])
    targets = one_hot(arms, 3).float()
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    epsilon = 1e-8 if setting.is_fixed else 0.0
    with setting.watch(net):
        for epoch in range(3):
            for i in range(0, 1200, 20):
                chances = net(points[i : i + 20])
                loss = my_cross_entropy(chances, targets[i : i + 20], epsilon)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if i % 200 == 180:
                    print(f"epoch {epoch}, sample {i}: {loss.item():.4f}")


PROGRAM = Program(
    name="log-of-a-softmax-by-hand",
    train=_train,
    source="Stack Overflow and codegenes.net, cost is NaN: log of a softmax that is 0 in a cross entropy written by hand",
    truth=Truth(rules=("nan-origin",), nodes=("log", "mul"), step=50),
)
