"""The discriminator learns with the same label for real and for fake points."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class Game(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.forger = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 12))
        self.judge = nn.Sequential(nn.Linear(12, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))


def _train(setting: Setting) -> None:
    movements = pendulums(1200, 6).flatten(1)
    game = Game()
    forging = torch.optim.Adam(game.forger.parameters(), lr=1e-3, betas=(0.5, 0.999))
    judging = torch.optim.Adam(game.judge.parameters(), lr=1e-3, betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss()
    label = torch.ones(40, 1)
    with setting.watch(game):
        for _ in range(250):
            fake = game.forger(torch.randn(40, 6))
            label.fill_(1)
            judging.zero_grad()
            criterion(game.judge(movements[torch.randint(1200, (40,))]), label).backward()
            if setting.is_fixed:
                label.fill_(0)
            criterion(game.judge(fake.detach()), label).backward()
            judging.step()

            label.fill_(1)
            forging.zero_grad()
            criterion(game.judge(fake), label).backward()
            forging.step()


PROGRAM = Program(
    name="everything-is-called-real",
    train=_train,
    source="PyTorch forum, DCGAN tutorial without label.fill_(fake_label)",
    truth=Truth(
        rules=(
            "constant-target",
            "predictions-ignore-input",
            "same-for-all-samples",
            "logit-growth",
            "vanishing-gradient",
            "runaway-growth",
        ),
        nodes=(
            "model.judge",
            "model.judge: output",
            "model.judge.2",
            "model.judge.2: output",
            "model.judge.2.weight",
            "model.judge.0",
            "model.forger",
            "model.forger.0.weight",
            "model.forger.2.weight",
        ),
    ),
)
