"""Contexts are repeated as blocks and answers one by one, so they do not belong together."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

QUESTIONS = 4


class Answerer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.question = nn.Embedding(QUESTIONS, 16)
        self.context = nn.Linear(8, 48)
        self.answer = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 3))

    def forward(self, contexts: Tensor, questions: Tensor) -> Tensor:
        return self.answer(torch.cat([self.context(contexts).relu(), self.question(questions)], dim=1))


def _train(setting: Setting) -> None:
    contexts = torch.randn(1500, 8)
    # A row has the answers to all questions about its context.
    answers = (contexts @ torch.randn(QUESTIONS, 8, 3)).argmax(dim=2).T
    net = Answerer()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for some, wanted in batches(250, 12, contexts, answers):
            questions = torch.arange(QUESTIONS).repeat(len(some))
            copies = some.repeat_interleave(QUESTIONS, dim=0) if setting.is_fixed else some.repeat(QUESTIONS, 1)
            loss = nn.functional.cross_entropy(net(copies, questions), wanted.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="repeated-and-interleaved",
    train=_train,
    source="Stack Overflow, repeat and repeat_interleave",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
