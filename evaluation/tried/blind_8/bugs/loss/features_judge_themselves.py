"""A forecaster is trained in a learned code. The code of the future has gradients too, and becomes the same for all."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class LatentForecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(2, 48), nn.ELU(), nn.Linear(48, 12))
        self.advance = nn.Sequential(nn.Linear(12, 48), nn.ELU(), nn.Linear(48, 12))

    def forward(self, now: Tensor, future: Tensor) -> tuple[Tensor, Tensor]:
        return self.advance(self.encode(now)), self.encode(future)


def _train(setting: Setting) -> None:
    states = pendulums(600, 12)
    net = LatentForecaster()
    frozen = nn.Sequential(nn.Linear(2, 48), nn.ELU(), nn.Linear(48, 12)).requires_grad_(False)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step in range(260):
            chosen = torch.randint(600, (50,))
            now, future = states[chosen, 0], states[chosen, 6]
            foreseen, code = net(now, future)
            if setting.is_fixed:
                code = frozen(future)
            loss = nn.functional.mse_loss(foreseen, code)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 65 == 64:
                print(f"step {step}: loss {loss.item():.5f}, spread of codes {code.std(dim=0).mean():.3f}")


PROGRAM = Program(
    name="features-judge-themselves",
    train=_train,
    source="Grill et al. 2020 and Chen and He 2021 on collapse without a stopped gradient",
    truth=Truth(
        rules=("trained-target", "same-for-all-samples"),
        nodes=("mse_loss: target", "mse_loss", "model.encode", "model.encode.2", "model.encode.2 (call 2): output"),
    ),
)
