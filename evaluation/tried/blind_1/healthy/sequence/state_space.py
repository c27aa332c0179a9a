"""A diagonal linear recurrence with learned decays, and a gate: it finds whether two pulses were far apart."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class StateSpace(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.inward = nn.Linear(1, size)
        self.decay = nn.Parameter(torch.linspace(-2, 4, size))
        self.gate = nn.Linear(1, size)
        self.norm = nn.LayerNorm(size)
        self.mix = nn.Sequential(nn.Linear(size, size), nn.GELU(), nn.Linear(size, 1))

    def forward(self, signal: Tensor) -> Tensor:
        keep = torch.sigmoid(self.decay)
        inputs = self.inward(signal)
        state = torch.zeros_like(inputs[:, 0])
        states = []
        for moment in inputs.unbind(dim=1):
            state = keep * state + (1 - keep) * moment
            states.append(state)
        gated = torch.stack(states, dim=1) * nn.functional.silu(self.gate(signal))
        return self.mix(self.norm(gated.sum(dim=1)))


def _train(setting: Setting) -> None:
    length = 20
    first, second = torch.randint(0, length // 2, (1500,)), torch.randint(length // 2, length, (1500,))
    signal = torch.zeros(1500, length, 1)
    signal[torch.arange(1500), first] = 1.0
    signal[torch.arange(1500), second] = 1.0
    distance = (second - first).float()[:, None] / length
    model = StateSpace(24)
    no_decay = [model.decay]
    others = [parameter for parameter in model.parameters() if parameter is not model.decay]
    optimizer = torch.optim.AdamW([{"params": no_decay, "lr": 1e-3, "weight_decay": 0.0}, {"params": others, "lr": 4e-3}])
    with setting.watch(model):
        for x, y in batches(400, 32, signal, distance):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="state-space", train=_train, source="Gupta et al. 2022, diagonal state spaces", chose_thresholds=True)
