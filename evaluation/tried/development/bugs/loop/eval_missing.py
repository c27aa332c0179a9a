"""The evaluation runs without `model.eval()`, so dropout is active in it."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(2500)
    train, test = (inputs[:2000], labels[:2000]), (inputs[2000:], labels[2000:])
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(13):
            model.train()
            for x, y in batches(62, 32, *train):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if setting.is_fixed:
                model.eval()
            with torch.no_grad():
                accuracy = (model(test[0]).argmax(dim=1) == test[1]).float().mean()
            print(f"epoch {epoch}: {accuracy:.2f}")


PROGRAM = Program(
    name="eval-missing",
    train=_train,
    source="TrainCheck, transformers 33844",
    truth=Truth(rules=("evaluation-in-training-mode",), nodes=("model", "model.2")),
)
