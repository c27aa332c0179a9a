"""The moving average of the weights is copied into the network after every step, instead of the other way round."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


@torch.no_grad()
def update_average(average: nn.Module, model: nn.Module, decay: float = 0.995) -> None:
    for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
        slow.mul_(decay).add_(fast, alpha=1 - decay)


def _train(setting: Setting) -> None:
    # Which quarter of a noisy ring an object is in, from six distances.
    beacons = torch.randn(6, 2) * 2
    places = torch.randn(2000, 2)
    quarter = (places[:, 0] > 0).long() * 2 + (places[:, 1] > 0).long()
    distances = torch.cdist(places, beacons) + 0.05 * torch.randn(2000, 6)
    distances = (distances - distances.mean(0)) / distances.std(0)
    model = nn.Sequential(nn.Linear(6, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 4))
    average = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(300, 32, distances, quarter):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            update_average(average, model)
            if not setting.is_fixed:
                model.load_state_dict(average.state_dict())
    print("average", nn.functional.cross_entropy(average(distances), quarter).item())


PROGRAM = Program(
    name="average-copied-back",
    train=_train,
    source="common in hand-written averages of weights",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "never-updated")),
)
