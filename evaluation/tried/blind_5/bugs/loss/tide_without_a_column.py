"""The heights of the tide are a vector and the predictions a column: the smooth loss compares each with each."""

from __future__ import annotations

import warnings

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    warnings.filterwarnings("ignore", message="Using a target size")
    moon = torch.randn(1200, 6)
    height = torch.sin(2 * moon[:, 0]) + 0.5 * moon[:, 1] * moon[:, 2]
    data = torch.utils.data.TensorDataset(moon[:1000], height[:1000])
    loader = torch.utils.data.DataLoader(data, batch_size=50, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    criterion = nn.SmoothL1Loss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(15):
            for x, y in loader:
                optimizer.zero_grad()
                prediction = model(x)
                loss = criterion(prediction.squeeze(1) if setting.is_fixed else prediction, y)
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("error", (model(moon[1000:])[:, 0] - height[1000:]).pow(2).mean().item(), "variance", height.var().item())


PROGRAM = Program(
    name="tide-without-a-column",
    train=_train,
    source="github.com/deepset-ai/FARM/issues/229: a target size that is different to the input size",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input", "loss-does-not-fall", "same-for-all-samples"),
        nodes=("model.4", "model: output"),
    ),
)
