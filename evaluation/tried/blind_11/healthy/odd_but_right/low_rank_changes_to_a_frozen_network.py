"""Frozen layers get a low-rank change each, of which one factor begins at zero; only these factors are trained."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


class LoraLinear(nn.Module):
    def __init__(self, linear: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + 2 * (x @ self.a.T) @ self.b.T


def pretrained(samples: Tensor, labels: Tensor) -> nn.Sequential:
    net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(4):
        for rows in torch.randperm(len(samples)).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(samples[rows]), labels[rows]).backward()
            optimizer.step()
    return net


def _train(setting: Setting) -> None:
    samples, labels = class_blobs(2000)
    net = pretrained(samples[:1000], labels[:1000])
    # The new task: two measurements have changed places, and one class is called another.
    swapped = samples[:, [1, 0, *range(2, 20)]]
    renamed = (labels + 1) % 5
    for place in (0, 2, 4):
        linear = net[place]
        assert isinstance(linear, nn.Linear)
        net[place] = LoraLinear(linear)
    optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=4e-3, weight_decay=0.0)
    with setting.watch(net):
        for epoch in range(5):
            for rows in torch.randperm(1700).split(50):
                loss = nn.functional.cross_entropy(net(swapped[rows]), renamed[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                accuracy = (net(swapped[1700:]).argmax(1) == renamed[1700:]).float().mean().item()
            print(f"epoch {epoch}: {loss.item():.4f}, accuracy {accuracy:.3f}")


PROGRAM = Program(name="low-rank-changes-to-a-frozen-network", train=_train, source="Hu et al. 2022, LoRA")
