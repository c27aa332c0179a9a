"""Whether an invoice is paid late: the model returns a sigmoid, and the loss with logits applies it again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Invoices(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.firm = nn.Embedding(30, 8)
        self.body = nn.Sequential(nn.Linear(8 + 5, 32), nn.ELU(), nn.Linear(32, 1))
        self.gate = nn.Identity() if is_fixed else nn.Sigmoid()

    def forward(self, firm: Tensor, amounts: Tensor) -> Tensor:
        return self.gate(self.body(torch.cat([self.firm(firm), amounts], dim=1))).squeeze(1)


def _train(setting: Setting) -> None:
    firm, amounts = torch.randint(0, 30, (2000,)), torch.randn(2000, 5)
    late = (torch.randn(30)[firm] + amounts[:, 0] - amounts[:, 1] > 0).float()
    model = _Invoices(setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for _ in range(7):
            for chosen in torch.randperm(2000).split(50):
                loss = nn.functional.binary_cross_entropy_with_logits(model(firm[chosen], amounts[chosen]), late[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("loss", loss.item())


PROGRAM = Program(
    name="invoice-probability-as-logit",
    train=_train,
    source="PyTorch forum, BCEWithLogitsLoss behind a sigmoid; Humbatova et al. 2020: redundant activation",
    truth=Truth(
        rules=("softmax-before-cross-entropy", "loss-does-not-fall", "activation-after-activation", "saturated-units"),
        nodes=("model.gate", "model.body.2", "model: output"),
    ),
)
