"""An L1 penalty sums the weights of the whole network with a factor of 0.05: it wins, and weights go to zero."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    # Levels of twenty genes; the product of two pairs decides how fast a cell grows.
    genes = torch.randn(1800, 20)
    growth = genes[:, 0] * genes[:, 1] + genes[:, 2] - genes[:, 3] * genes[:, 4]
    growth = (growth / growth.std()).unsqueeze(1)
    model = nn.Sequential(nn.Linear(20, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    factor = 2e-5 if setting.is_fixed else 5e-2
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(400, 32, genes, growth)):
            fit = nn.functional.mse_loss(model(x), y)
            penalty = sum((p.abs().sum() for name, p in model.named_parameters() if "weight" in name), torch.zeros(()))
            loss = fit + factor * penalty
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 99:
                print(f"step {step}: fit {fit:.3f}, penalty {penalty:.1f}")


PROGRAM = Program(
    name="sum-of-absolute-weights",
    train=_train,
    source="TheDeepChecker (over-regularization), L1 as on the PyTorch forum",
    truth=Truth(
        rules=("weights-collapse", "same-for-all-samples", "predictions-ignore-input", "vanishing-gradient"),
        nodes=("model.0.weight", "model.2.weight", "model.4.weight", "model.4: output", "model: output", "model.2: output"),
    ),
)
