"""Four linear layers follow one another without an activation: the network is one linear layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Net(nn.Module):
    def __init__(self, act: nn.Module) -> None:
        super().__init__()
        self.fc1 = nn.Linear(2, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 32)
        self.fc4 = nn.Linear(32, 3)
        self.act = act

    def forward(self, x: Tensor) -> Tensor:
        x = self.act(self.fc1(x))
        x = self.act(self.fc2(x))
        x = self.act(self.fc3(x))
        return self.fc4(x)


def _train(setting: Setting) -> None:
    points, arms = spirals(1600)
    loader = DataLoader(TensorDataset(points, arms), batch_size=64, shuffle=True)
    net = Net(nn.ReLU() if setting.is_fixed else nn.Identity())
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for epoch in range(8):
            correct = 0
            for x, y in loader:
                net.zero_grad()
                output = net(x)
                loss = nn.functional.cross_entropy(output, y)
                loss.backward()
                optimizer.step()
                correct += int((output.argmax(1) == y).sum())
            print(f"{epoch}: loss {loss.item():.4f}, accuracy {correct / 1600:.3f}")


PROGRAM = Program(
    name="four-layers-and-no-activation",
    train=_train,
    source="Stack Overflow, network that is no better than logistic regression: no activations between linear layers",
    truth=Truth(
        rules=("linear-after-linear",),
        nodes=(
            "model.fc1",
            "model.fc2",
            "model.fc3",
            "model.fc4",
            "model.act",
            "model.fc1: output",
            "model.fc2: output",
            "model.fc3: output",
        ),
    ),
)
