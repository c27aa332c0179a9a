"""The recurrent weights are drawn from a normal distribution of deviation 1: the state jumps between -1 and 1, and gradients explode."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.RNN(1, 48, batch_first=True)
        self.out = nn.Linear(48, 1)

    def forward(self, pulses: Tensor) -> Tensor:
        states, _ = self.rnn(pulses)
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    pulses = (torch.rand(2000, 20, 1) < 0.3).float()
    recent = (pulses[:, :, 0] * 0.8 ** torch.arange(19, -1, -1)).sum(dim=1, keepdim=True)
    target = (recent - recent.mean()) / recent.std()
    model = Counter()
    recurrent = dict(model.named_parameters())["rnn.weight_hh_l0"]
    if setting.is_fixed:
        nn.init.orthogonal_(recurrent)
    else:
        nn.init.normal_(recurrent)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, pulses, target):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(pulses), target):.2f}")


PROGRAM = Program(
    name="wild-recurrent-weights",
    train=_train,
    source="Pascanu et al. 2013; PyTorch forum, init.normal_ for recurrent weights",
    truth=Truth(
        rules=("saturated-units", "exploding-gradient", "always-clipped"),
        nodes=("model.rnn", "model.rnn.weight_hh_l0", "model.rnn: output[0]"),
    ),
)
