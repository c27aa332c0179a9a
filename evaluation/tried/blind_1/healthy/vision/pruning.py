"""Two thirds of the weights are pruned in the middle of the training, and the network recovers."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils import prune

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    model = nn.Sequential(nn.Flatten(), nn.Linear(144, 96), nn.ReLU(), nn.Linear(96, 48), nn.ReLU(), nn.Linear(48, 6))
    masks = {layer: prune.identity(layer, "weight") for layer in model if isinstance(layer, nn.Linear)}
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(800, 32, (images - images.mean()) / images.std(), labels)):
            if step == 400:
                for layer in masks:
                    prune.l1_unstructured(layer, "weight", amount=0.66)
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="pruning", train=_train, source="PyTorch's tutorial on torch.nn.utils.prune")
