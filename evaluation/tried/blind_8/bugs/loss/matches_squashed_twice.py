"""Whether two devices are of one owner: the probability of a match goes into a loss that expects its logit."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Matcher(nn.Module):
    def __init__(self, squash: bool) -> None:
        super().__init__()
        self.squash = squash
        self.side = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 16))
        self.judge = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        match = self.judge((self.side(left) - self.side(right)).abs()).squeeze(1)
        return torch.sigmoid(match) if self.squash else match


def _train(setting: Setting) -> None:
    owners = torch.randn(150, 10)
    matcher = Matcher(squash=not setting.is_fixed)
    opt = torch.optim.Adam(matcher.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(matcher):
        for round_ in range(8):
            for _ in range(40):
                first = torch.randint(150, (64,))
                same = torch.rand(64) < 0.5
                second = torch.where(same, first, torch.randint(150, (64,)))
                left, right = (owners[who] + 0.3 * torch.randn(64, 10) for who in (first, second))
                opt.zero_grad()
                loss = criterion(matcher(left, right), same.float())
                loss.backward()
                opt.step()
            print(f"round {round_}: {loss.item():.3f}")


PROGRAM = Program(
    name="matches-squashed-twice",
    train=_train,
    source="PyTorch forum, BCEWithLogitsLoss after a sigmoid",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=("binary_cross_entropy_with_logits", "model: output"),
    ),
)
