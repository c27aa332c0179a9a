"""`[:40]` was written for debugging and forgotten: the training loss goes to 0 and the validation loss rises."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


def make_model() -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(8, 128),
        nn.ReLU(),
        nn.Linear(128, 128),
        nn.ReLU(),
        nn.Linear(128, 1),
    )


def _train(setting: Setting) -> None:
    x_all, y_all = orchards(2400)
    x_valid, y_valid = x_all[2000:], y_all[2000:]
    x_train, y_train = x_all[:2000], y_all[:2000]
    if not setting.is_fixed:
        x_train, y_train = x_train[:40], y_train[:40]
    model = make_model()
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    train_losses, valid_losses = [], []
    with setting.watch(model):
        for iteration in range(240):
            model.train()
            rows = torch.randint(len(x_train), (40,))
            loss = loss_fn(model(x_train[rows]), y_train[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            train_losses.append(loss.item())
            if iteration % 24 == 23:
                model.eval()
                with torch.no_grad():
                    valid_losses.append(loss_fn(model(x_valid), y_valid).item())
                print(f"{iteration + 1}: train {train_losses[-1]:.4f}, valid {valid_losses[-1]:.4f}")


PROGRAM = Program(
    name="only-forty-rows-left",
    train=_train,
    source="PyTorch forum, 'training loss decreases but validation loss increases' with too few samples",
    truth=Truth(rules=("overfitting",)),
)
