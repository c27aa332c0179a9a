"""A multi-class hinge loss with strong weight decay: many gradients are exactly zero near the end."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


def make_grains(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Grains of four kinds of wheat: seven measures and the kind."""
    kinds = torch.randint(4, (count,))
    x = 0.9 * torch.randn(4, 7)[kinds] + torch.randn(count, 7)
    return (x - x.mean(dim=0)) / x.std(dim=0), kinds


def _train(setting: Setting) -> None:
    x, labels = make_grains(1600)
    model = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-3)
    criterion = nn.MultiMarginLoss()
    with setting.watch(model):
        for epoch in range(8):
            model.train()
            running = 0.0
            for inputs, target in batches(40, 32, x[:1280], labels[:1280]):
                optimizer.zero_grad()
                loss = criterion(model(inputs), target)
                loss.backward()
                optimizer.step()
                running += loss.item()
            model.eval()
            with torch.no_grad():
                accuracy = (model(x[1280:]).argmax(dim=1) == labels[1280:]).float().mean().item()
            print(f"epoch {epoch}: loss {running / 40:.4f}, accuracy {accuracy:.3f}")


PROGRAM = Program(name="hinge-of-margins", train=_train, source="Crammer and Singer 2001, multi-class hinge loss")
