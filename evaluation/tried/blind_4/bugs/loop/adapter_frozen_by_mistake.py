"""All parameters are frozen before fine-tuning, and the new block behind them as well; only the head is set free again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
        self.adapter = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 6), nn.Tanh())
        self.head = nn.Linear(6, 5, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.adapter(self.backbone(x)))


def _train(setting: Setting) -> None:
    groups = torch.randn(5, 20)
    labels = torch.randint(0, 5, (1500,))
    samples = groups[labels] + torch.randn(1500, 20)
    model = _Network()
    for parameter in model.parameters():
        parameter.requires_grad = False
    trained = [model.adapter, model.head] if setting.is_fixed else [model.head]
    for module in trained:
        for parameter in module.parameters():
            parameter.requires_grad = True
    optimizer = torch.optim.Adam([parameter for parameter in model.parameters() if parameter.requires_grad], lr=5e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1200).split(30):
                loss = nn.functional.cross_entropy(model(samples[index]), labels[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(samples[1200:]).argmax(1) == labels[1200:]).float().mean().item())


PROGRAM = Program(
    name="adapter-frozen-by-mistake",
    train=_train,
    source="PyTorch forum, transfer learning: layers that should be trained have requires_grad=False",
    truth=Truth(
        rules=("frozen-as-initialized", "never-updated", "not-in-optimizer", "no-gradient", "loss-does-not-fall"),
        nodes=("model.adapter",),
    ),
)
