"""A variational autoencoder draws its code with `sample()` instead of `rsample()`: reconstruction cannot teach the encoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Normal, kl_divergence

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class Autoencoder(nn.Module):
    def __init__(self, differentiable: bool) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(40, 48), nn.ELU(), nn.Linear(48, 8))
        self.decoder = nn.Sequential(nn.Linear(4, 48), nn.ELU(), nn.Linear(48, 40))
        self.differentiable = differentiable

    def forward(self, curves: Tensor) -> tuple[Tensor, Tensor]:
        mean, scale = self.encoder(curves).chunk(2, dim=1)
        posterior = Normal(mean, nn.functional.softplus(scale) + 1e-3)
        code = posterior.rsample() if self.differentiable else posterior.sample()
        return self.decoder(code), kl_divergence(posterior, Normal(0.0, 1.0)).sum(dim=1).mean()


def _train(setting: Setting) -> None:
    curves = pendulums(1000, 20).flatten(1)
    net = Autoencoder(setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for (x,) in batches(300, 32, curves):
            output, divergence = net(x)
            loss = (output - x).square().sum(dim=1).mean() + 0.1 * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="sample-without-gradient",
    train=_train,
    source="Pyro and PyTorch forums, sample() and rsample()",
    truth=Truth(
        rules=("cut-path", "same-for-all-samples", "predictions-ignore-input"),
        nodes=(
            "model.encoder",
            "model.encoder: output",
            "model.encoder.2",
            "model.encoder.2: output",
            "model.decoder: input",
            "model.decoder.0: input",
            "model.decoder.0",
            "model.decoder",
            "model: output[0]",
            "model.decoder: output",
            "model.decoder.2: output",
        ),
    ),
)
