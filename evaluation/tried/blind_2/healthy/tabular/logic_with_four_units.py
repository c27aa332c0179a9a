"""XOR of two noisy inputs with a hidden layer of four units."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def make_bits(count: int, noise: float) -> tuple[torch.Tensor, torch.Tensor]:
    bits = torch.randint(2, (count, 2))
    return 2.0 * bits - 1 + noise * torch.randn(count, 2), (bits[:, 0] ^ bits[:, 1]).float()


def _train(setting: Setting) -> None:
    x, y = make_bits(800, 0.25)
    test_x, test_y = make_bits(200, 0.4)
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(12):
            order = torch.randperm(800)
            total, right = 0.0, 0
            for index in order.split(32):
                optimizer.zero_grad()
                logits = model(x[index]).squeeze(1)
                loss = criterion(logits, y[index])
                loss.backward()
                optimizer.step()
                total += loss.item() * len(index)
                right += int(((logits > 0) == (y[index] > 0.5)).sum())
            print(f"epoch {epoch}: loss {total / 800:.3f}, accuracy {right / 800:.3f}")
    with torch.no_grad():
        logits = model(test_x).squeeze(1)
        print("with more noise", criterion(logits, test_y).item())


PROGRAM = Program(name="logic-with-four-units", train=_train, source="the XOR problem (Rumelhart et al. 1986)")
