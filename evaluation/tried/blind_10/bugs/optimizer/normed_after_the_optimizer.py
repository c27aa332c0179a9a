"""Weight normalization is applied when the optimizer exists already. Its directions and lengths are new, and it does not hold them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Causal(nn.Module):
    def __init__(self, dilations: tuple[int, ...] = (1, 2, 4), width: int = 16) -> None:
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(width if i else 1, width, 2, dilation=d) for i, d in enumerate(dilations)])
        self.out = nn.Linear(width, 1)

    def forward(self, series: Tensor) -> Tensor:
        x = series.transpose(1, 2)
        for conv in self.convs:
            assert isinstance(conv, nn.Conv1d)
            x = torch.relu(conv(nn.functional.pad(x, (conv.dilation[0], 0))))
        return self.out(x[:, :, -1])


def normalize_weights(model: Causal) -> None:
    for conv in model.convs:
        weight_norm(conv)


def _train(setting: Setting) -> None:
    past, future = curves(1200)
    model = Causal()
    if setting.is_fixed:
        normalize_weights(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    if not hasattr(model.convs[0], "parametrizations"):
        normalize_weights(model)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(140, 40, past, future)):
            loss = nn.functional.mse_loss(model(x), y)
            model.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="normed-after-the-optimizer",
    train=_train,
    source="Common mistake: weight_norm or spectral_norm after the optimizer was made",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=(
            *(f"model.convs.{n}{part}" for n in range(3) for part in ("", ".parametrizations.weight", ".weight")),
            *(f"model.convs.{n}.parametrizations.weight.original{i}" for n in range(3) for i in (0, 1)),
        ),
    ),
)
