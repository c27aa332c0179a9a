"""The step stands behind the loop over the batches, so that only the last batch of each epoch counts."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    images, labels = digits(1500)
    model = nn.Sequential(nn.Flatten(), nn.Linear(144, 60), nn.ReLU(), nn.Linear(60, 6), nn.LogSoftmax(dim=1))
    loss_fn = nn.NLLLoss()
    opt = torch.optim.SGD(model.parameters(), lr=0.2)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1500).split(60):
                opt.zero_grad()
                loss = loss_fn(model(images[rows]), labels[rows])
                loss.backward()
                if is_fixed:
                    opt.step()
            if not is_fixed:
                opt.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="step-behind-the-batches",
    train=_train,
    source="https://github.com/DeepReinforcementLearning/DeepReinforcementLearningInAction/pull/13",
    truth=Truth(rules=("gradients-cleared-early", "loss-does-not-fall")),
)
