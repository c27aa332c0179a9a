"""Only parameters with "decoder" in their names are trained. The new layers are called `decode`, so their first weights stay."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class Forecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(2, 24, batch_first=True)
        self.decode = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 8))
        self.decoder_scale = nn.Parameter(torch.ones(8))

    def forward(self, states: Tensor) -> Tensor:
        _, last = self.encoder(states)
        return self.decode(last[0]) * self.decoder_scale


def _train(setting: Setting) -> None:
    states = pendulums(700, 16)
    x, y = states[:, :8], states[:, 8:, 0]
    net = Forecaster()
    trained = ("decode",) if setting.is_fixed else ("decoder",)
    for name, parameter in net.named_parameters():
        parameter.requires_grad = name.startswith(trained)
    optimizer = torch.optim.Adam([parameter for parameter in net.parameters() if parameter.requires_grad], lr=5e-3)
    with setting.watch(net):
        for before, after in batches(250, 25, x, y):
            loss = nn.functional.mse_loss(net(before), after)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="unfrozen-by-another-name",
    train=_train,
    source="Hugging Face forum, freezing layers by parts of their names",
    truth=Truth(
        rules=("frozen-as-initialized", "no-gradient", "never-updated", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=("model.decode", *(f"model.decode.{i}{name}" for i in (0, 2) for name in ("", ".weight", ".bias"))),
    ),
)
