"""A recurrent variational autoencoder of movements, with a divergence that grows slowly and costs nothing below a limit."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import pendulums


class Sequences(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(2, 32, batch_first=True)
        self.posterior = nn.Linear(32, 8)
        self.start = nn.Linear(4, 32)
        self.decoder = nn.GRU(2, 32, batch_first=True)
        self.out = nn.Linear(32, 2)

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        _, last = self.encoder(states)
        mean, log_variance = self.posterior(last[0]).chunk(2, dim=1)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance)
        shifted = F.pad(states[:, :-1], (0, 0, 1, 0))
        output, _ = self.decoder(F.dropout(shifted, 0.3, self.training), self.start(code).tanh()[None])
        return self.out(output), divergence


def _train(setting: Setting) -> None:
    movements = pendulums(700, 12)
    model = Sequences()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step, (states,) in enumerate(batches(180, 32, movements)):
            output, divergence = model(states)
            error = (output - states).square().sum(dim=(1, 2)).mean()
            loss = error + min(1.0, step / 120) * divergence.mean(dim=0).clamp(min=0.1).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="movements-with-free-bits", train=_train, source="Kingma et al. 2016 (free bits); Bowman et al. 2016")
