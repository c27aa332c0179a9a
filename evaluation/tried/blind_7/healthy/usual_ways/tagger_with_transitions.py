"""A tagger with a conditional random field, whose normalizing sum is computed in logarithms."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

TAGS, WORDS, LENGTH = 4, 30, 8


class Crf(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, 16)
        self.lstm = nn.LSTM(16, 12, bidirectional=True, batch_first=True)
        self.emit = nn.Linear(24, TAGS)
        self.transitions = nn.Parameter(torch.zeros(TAGS, TAGS))

    def forward(self, words: Tensor, tags: Tensor) -> Tensor:
        scores = self.emit(self.lstm(self.embed(words))[0])
        right = scores.gather(2, tags[..., None]).sum(dim=(1, 2)) + self.transitions[tags[:, :-1], tags[:, 1:]].sum(dim=1)
        total = scores[:, 0]
        for t in range(1, LENGTH):
            total = torch.logsumexp(total[:, :, None] + self.transitions, dim=1) + scores[:, t]
        return (torch.logsumexp(total, dim=1) - right).mean()


def _train(setting: Setting) -> None:
    model = Crf()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for _ in range(150):
            tags = [torch.randint(TAGS, (32,))]
            for _ in range(LENGTH - 1):
                tags.append((tags[-1] + (torch.rand(32) < 0.6).long()) % TAGS)
            tag = torch.stack(tags, dim=1)
            words = (tag * 7 + torch.randint(12, tag.shape)) % WORDS
            loss = model(words, tag)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="tagger-with-transitions", train=_train, source="Lample et al. 2016")
