"""An adaptive softmax: frequent words have scores of their own, and rare ones are in clusters with fewer dimensions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

VOCABULARY = 400


def corpus(count: int, length: int) -> Tensor:
    """Words by Zipf's law; after an even word comes a copy of it shifted by one with a chance of a half."""
    chances = 1 / (1 + torch.arange(VOCABULARY).float())
    text = torch.multinomial(chances, count * length, replacement=True).view(count, length)
    for place in range(1, length):
        repeat = (text[:, place - 1] % 2 == 0) & (torch.rand(count) < 0.7)
        text[:, place] = torch.where(repeat, text[:, place - 1] + 1, text[:, place])
    return text


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 24)
        self.rnn = nn.GRU(24, 32, batch_first=True)
        self.softmax = nn.AdaptiveLogSoftmaxWithLoss(32, VOCABULARY, cutoffs=[20, 100], div_value=2.0)

    def forward(self, text: Tensor) -> Tensor:
        states = self.rnn(self.embedding(text[:, :-1]))[0]
        loss: Tensor = self.softmax(states.flatten(0, 1), text[:, 1:].flatten()).loss
        return loss


def _train(setting: Setting) -> None:
    text = corpus(1500, 13)
    model = Model()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    with setting.watch(model):
        for step in range(120):
            loss = model(text[torch.randint(1500, (32,))])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 24 == 23:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="rare-words-in-clusters", train=_train, source="Grave et al. 2017, adaptive softmax")
