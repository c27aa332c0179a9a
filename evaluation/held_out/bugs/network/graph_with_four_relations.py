"""Places and their kinds: a graph has four relations between its nodes, and each relation has a transformation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class RelationalLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int, is_fixed: bool) -> None:
        super().__init__()
        self.own = nn.Linear(inputs, outputs)
        layers = {str(relation): nn.Linear(inputs, outputs, bias=False) for relation in range(4)}
        self.relations = nn.ModuleDict(layers) if is_fixed else layers

    def forward(self, x: Tensor, links: Tensor) -> Tensor:
        total = self.own(x)
        for name, layer in self.relations.items():
            link = links[int(name)]
            total = total + link @ layer(x) / link.sum(dim=1, keepdim=True).clamp(min=1)
        return total


class RGCN(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.first = RelationalLayer(10, 24, is_fixed)
        self.second = RelationalLayer(24, 24, is_fixed)
        self.classifier = nn.Linear(24, 3)

    def forward(self, x: Tensor, links: Tensor) -> Tensor:
        x = torch.relu(self.first(x, links))
        return self.classifier(torch.relu(self.second(x, links)))


def _train(setting: Setting) -> None:
    kinds = torch.randint(0, 3, (240,))
    same = kinds[:, None] == kinds[None]
    next_kind = (kinds[:, None] + 1) % 3 == kinds[None]
    chances = torch.stack([same * 0.08, next_kind * 0.08, ~same * 0.03, torch.full((240, 240), 0.02)])
    links = (torch.rand(4, 240, 240) < chances).float()
    x = torch.randn(3, 10)[kinds] + 2.5 * torch.randn(240, 10)
    model = RGCN(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    train = torch.arange(240) < 160
    with setting.watch(model):
        for epoch in range(60):
            logits = model(x, links)
            loss = nn.functional.cross_entropy(logits[train], kinds[train])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 12 == 11:
                accuracy = (logits.argmax(dim=1) == kinds)[~train].float().mean()
                print(f"epoch {epoch}: {loss.item():.4f}, others {accuracy.item():.3f}")


PROGRAM = Program(
    name="graph-with-four-relations",
    train=_train,
    source="https://github.com/pytorch/pytorch/issues/632",
    truth=Truth(
        rules=("unregistered-modules", "not-in-optimizer", "never-updated"),
        nodes=("model", "model.first", "model.second", "model.first.relations", "model.second.relations"),
    ),
)
