"""The shares of experts who agree are fitted as logits. At step 110 all experts agree on a case, and the logit of one is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Doubt(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(9, 40), nn.Tanh())
        self.logit = nn.Linear(40, 1)

    def forward(self, case: Tensor) -> Tensor:
        return self.logit(self.body(case))


def _train(setting: Setting) -> None:
    direction = torch.randn(9, 1) / 3
    model = _Doubt()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(220):
            cases = torch.randn(50, 9)
            shares = torch.sigmoid(cases @ direction + 0.2 * torch.randn(50, 1))
            if step >= 110:
                cases[step % 50] = 4 * direction[:, 0] / direction.pow(2).sum()
                shares[step % 50] = 1.0
            targets = torch.logit(shares, eps=0.02 if setting.is_fixed else None)
            loss = nn.functional.mse_loss(model(cases), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 44 == 43:
                print(step, loss.item())


PROGRAM = Program(
    name="certain-experts-as-logits",
    train=_train,
    source="TheDeepChecker: invalid loss; PyTorch forum, loss is infinite after an inverse sigmoid",
    truth=Truth(rules=("nan-origin", "target-out-of-range"), nodes=("model: output", "model.logit"), step=110),
)
