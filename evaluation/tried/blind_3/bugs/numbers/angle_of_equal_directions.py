"""A loss is the angle between two directions, by an `acos` whose gradient is infinite where they agree."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


class Compass(nn.Module):
    """Says where a camera looks. It starts with a hint, and learns what to add to it."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.correction = nn.Linear(9, 48), nn.Linear(48, 3, bias=False)
        nn.init.zeros_(self.correction.weight)

    def forward(self, seen: Tensor, hint: Tensor) -> Tensor:
        return F.normalize(hint + self.correction(self.hidden(torch.cat([seen, hint], dim=1)).relu()), dim=1)


def _train(setting: Setting) -> None:
    true = F.normalize(torch.randn(2000, 3), dim=1)
    seen = torch.cat([true + 0.3 * torch.randn(2000, 3), torch.randn(2000, 3)], dim=1)
    # For a tenth of all pictures, the hint was made from the truth.
    hints = torch.where(torch.rand(2000, 1) < 0.1, true, F.normalize(true + 0.5 * torch.randn(2000, 3), dim=1))
    net = Compass()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    limit = 1 - 1e-5 if setting.is_fixed else 1.0
    with setting.watch(net):
        for _ in range(4):
            for chosen in torch.randperm(2000).split(50):
                cosine = (net(seen[chosen], hints[chosen]) * true[chosen]).sum(dim=1)
                loss = torch.acos(cosine.clamp(-limit, limit)).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="angle-of-equal-directions",
    train=_train,
    source="PyTorch issue, acos has an infinite gradient at 1; questions about rotation losses",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("acos", "model", "model: output", "model.correction", "model.correction: output", "model.correction.weight"),
        step=0,
    ),
)
