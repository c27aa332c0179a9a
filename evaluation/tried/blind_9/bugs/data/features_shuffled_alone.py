"""The rows of a table are shuffled before the split, and the yields are not. Every tree has the yield of another one."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


def _train(setting: Setting) -> None:
    features, target = orchards(1500)
    permutation = torch.randperm(len(features))
    features = features[permutation]
    if setting.is_fixed:
        target = target[permutation]
    x_train, x_test = features[:1200], features[1200:]
    y_train, y_test = target[:1200], target[1200:]

    net = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    criterion = nn.MSELoss()
    with setting.watch(net):
        for epoch in range(8):
            net.train()
            for rows in torch.randperm(len(x_train)).split(60):
                optimizer.zero_grad()
                loss = criterion(net(x_train[rows]), y_train[rows])
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                test_loss = criterion(net(x_test), y_test)
            print(f"epoch {epoch}: {loss.item():.3f}, test {test_loss.item():.3f}")


PROGRAM = Program(
    name="features-shuffled-alone",
    train=_train,
    source="Humbatova et al. 2020, training data: labels that do not belong to their data; forum questions on train_test_split",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input", "overfitting")),
)
