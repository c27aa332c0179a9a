"""The gradient penalty of a critic is computed without `create_graph=True`: it is a number that nothing learns from."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
        self.critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))


def _train(setting: Setting) -> None:
    real, _ = spirals(2000)
    pair = Pair()
    optimizer_g = torch.optim.Adam(pair.generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    optimizer_c = torch.optim.Adam(pair.critic.parameters(), lr=5e-3, betas=(0.5, 0.9))

    def penalty(some: Tensor, other: Tensor) -> Tensor:
        share = torch.rand(len(some), 1)
        between = (share * some + (1 - share) * other).requires_grad_()
        (gradient,) = torch.autograd.grad(pair.critic(between).sum(), between, create_graph=setting.is_fixed)
        return ((gradient.norm(dim=1) - 1) ** 2).mean()

    with setting.watch(pair):
        for step in range(300):
            x = real[torch.randint(2000, (48,))]
            fake = pair.generator(torch.randn(48, 4)).detach()
            optimizer_c.zero_grad()
            (pair.critic(fake).mean() - pair.critic(x).mean() + 10 * penalty(x, fake)).backward()
            optimizer_c.step()
            if step % 3 == 2:
                optimizer_g.zero_grad()
                (-pair.critic(pair.generator(torch.randn(48, 4))).mean()).backward()
                optimizer_g.step()


PROGRAM = Program(
    name="penalty-without-graph",
    train=_train,
    source="PyTorch forum, WGAN-GP and create_graph",
    truth=Truth(
        rules=("runaway-growth", "diverging-loss", "logit-growth", "cut-path", "exploding-gradient"),
        nodes=(
            "model.critic",
            "model.critic: output",
            *(f"model.critic.{i}{name}" for i in range(5) for name in ("", ": output", ".weight")),
            "model.generator",
            "model.generator: output",
            *(f"model.generator.{i}{name}" for i in range(5) for name in ("", ": output", ".weight")),
        ),
    ),
)
