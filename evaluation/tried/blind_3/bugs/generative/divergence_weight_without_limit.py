"""The weight of a VAE's divergence is meant to rise from 0 to 1, and rises by 1 with every step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Codec(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Flatten(), nn.Linear(100, 64), nn.ReLU())
        self.mean, self.log_variance = nn.Linear(64, 6), nn.Linear(64, 6)
        self.decode = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 100))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.encode(images)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        return self.decode(mean + torch.randn_like(mean) * (0.5 * log_variance).exp()), mean, log_variance


def _train(setting: Setting) -> None:
    images = shapes(800, size=10, noise=0.1).images
    net = Codec()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for step, (x,) in enumerate(batches(300, 32, images)):
            weight = min(1.0, step / 200) if setting.is_fixed else float(step)
            output, mean, log_variance = net(x)
            error = (output - x.flatten(1)).square().sum(dim=1).mean()
            divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(dim=1).mean()
            loss = error + weight * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="divergence-weight-without-limit",
    train=_train,
    source="questions about KL annealing; Bowman et al. 2016",
    truth=Truth(
        rules=("same-for-all-samples", "predictions-ignore-input", "weights-collapse", "branch-without-effect"),
        nodes=(
            "model.mean",
            "model.mean: output",
            "model.mean.weight",
            "model: output[0]",
            "model: output[1]",
            "model: output[2]",
            "model.log_variance",
            "model.log_variance: output",
            "model.log_variance.weight",
            "model.decode: output",
            "model.decode.2: output",
            "model.decode",
        ),
    ),
)
