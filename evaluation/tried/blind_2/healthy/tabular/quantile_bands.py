"""Three quantiles of delivery times from one network, with the pinball loss and an average of the weights."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from evaluation.datasets import batches
from evaluation.program import Program, Setting

QUANTILES = torch.tensor([0.1, 0.5, 0.9])


def pinball(prediction: Tensor, target: Tensor) -> Tensor:
    error = target - prediction
    return torch.maximum(QUANTILES * error, (QUANTILES - 1) * error).mean()


def _train(setting: Setting) -> None:
    x = torch.randn(2200, 5)
    spread = 0.2 + 0.4 * torch.sigmoid(2 * x[:, 0])
    delay = -torch.log(torch.rand(2200))
    y = (0.8 * x[:, 1] + 0.4 * x[:, 2] ** 2 + spread * delay).unsqueeze(1)
    model = nn.Sequential(nn.Linear(5, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 3))
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.98))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step, (inputs, targets) in enumerate(batches(350, 40, x[:2000], y[:2000])):
            optimizer.zero_grad()
            loss = pinball(model(inputs), targets)
            loss.backward()
            optimizer.step()
            average.update_parameters(model)
            if step % 70 == 69:
                with torch.no_grad():
                    below = (y[2000:] < average(x[2000:])).float().mean(dim=0)
                print(step, [round(share, 2) for share in below.tolist()])


PROGRAM = Program(name="quantile-bands", train=_train, source="Koenker and Bassett 1978, pinball loss; moving average of weights")
