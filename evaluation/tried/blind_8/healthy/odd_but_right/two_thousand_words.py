"""Two thousand words, most of them rare, with a softmax in three parts."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

WORDS = 2000


class NextWord(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(WORDS, 24)
        self.mix = nn.Linear(48, 48)
        self.softmax = nn.AdaptiveLogSoftmaxWithLoss(48, WORDS, [50, 400], div_value=2.0)

    def forward(self, before: Tensor, following: Tensor) -> Tensor:
        h = torch.tanh(self.mix(self.table(before).flatten(1)))
        return self.softmax(h, following).loss


def _train(setting: Setting) -> None:
    frequency = 1 / torch.arange(1, WORDS + 1).float()
    net = NextWord()
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.1)
    with setting.watch(net):
        for _ in range(250):
            before = frequency.multinomial(96 * 2, replacement=True).view(96, 2)
            # Half of the words follow from the last one, and half are drawn anew.
            following = torch.where(torch.rand(96) < 0.5, (before[:, 1] * 7 + 3) % 50, frequency.multinomial(96, replacement=True))
            loss = net(before, following)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="two-thousand-words", train=_train, source="Grave et al. 2017; PyTorch documentation, AdaptiveLogSoftmaxWithLoss")
