"""Attention among bonded atoms sets all others to minus infinity. From step 45 on there is an atom without bonds."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import molecules


class Attentive(nn.Module):
    def __init__(self, itself: float) -> None:
        super().__init__()
        self.itself = itself
        self.lift = nn.Linear(4, 24)
        self.left, self.right = nn.Linear(24, 24), nn.Linear(24, 24)
        self.weigh = nn.Softmax(dim=2)
        self.out = nn.Linear(48, 1)

    def forward(self, kinds: Tensor, bonds: Tensor) -> Tensor:
        h = torch.tanh(self.lift(kinds))
        scores = self.left(h) @ self.right(h).transpose(1, 2) / 24**0.5
        seen = bonds + self.itself * torch.eye(bonds.shape[1])
        shares = self.weigh(scores.masked_fill(seen == 0, float("-inf")))
        degree = bonds.sum(dim=2, keepdim=True)
        return self.out(torch.cat([h, degree * (shares @ h)], dim=2).sum(dim=1))


def _train(setting: Setting) -> None:
    kinds, bonds, energy = molecules(4000)
    bonded = bonds.sum(dim=2).amin(dim=1) > 0
    whole, loose = torch.where(bonded)[0], torch.where(~bonded)[0]
    net = Attentive(1.0 if setting.is_fixed else 0.0)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    with setting.watch(net):
        for step in range(160):
            chosen = whole[torch.randint(len(whole), (32,))]
            if step >= 45:
                chosen[0] = loose[step]
            loss = nn.functional.mse_loss(net(kinds[chosen], bonds[chosen]), energy[chosen])
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 40 == 39:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="atom-without-a-bond",
    train=_train,
    source="PyTorch issues, softmax over a row of minus infinity; graph attention without self-loops",
    truth=Truth(rules=("nan-origin",), nodes=("model.weigh", "model.weigh: output"), step=45),
)
