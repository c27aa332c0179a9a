"""Hidden layers are kept in a Python list. They are in no `parameters()`, and only the first and the last layer are trained."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class MyModel(nn.Module):
    def __init__(self, hidden_size: int, num_layers: int, register: bool) -> None:
        super().__init__()
        self.first = nn.Linear(2, hidden_size)
        layers = [nn.Linear(hidden_size, hidden_size) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers) if register else layers
        self.last = nn.Linear(hidden_size, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.first(x))
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.last(x)


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    model = MyModel(32, 4, register=setting.is_fixed)
    print(f"{sum(parameter.numel() for parameter in model.parameters())} parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(10):
            for idx in torch.randperm(1500).split(75):
                out = model(points[idx])
                loss = nn.functional.cross_entropy(out, arms[idx])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                accuracy = (model(points).argmax(1) == arms).float().mean().item()
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {accuracy:.3f}")


PROGRAM = Program(
    name="blocks-in-a-python-list",
    train=_train,
    source="Stack Overflow and https://runebook.dev on torch.nn.ModuleList, layers in a Python list are not registered",
    truth=Truth(rules=("unregistered-modules",), nodes=("model", "model.layers", "model.last: input")),
)
