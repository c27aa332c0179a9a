"""A conditional random field over the scores of an LSTM: the loss is a difference of two sums over paths."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

TAGS, LENGTH = 4, 9


class Crf(nn.Module):
    def __init__(self, tags: int) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.zeros(tags))
        self.move = nn.Parameter(torch.zeros(tags, tags))

    def forward(self, scores: Tensor, tags: Tensor) -> Tensor:
        given = scores.gather(2, tags[:, :, None])[:, :, 0].sum(dim=1)
        given = given + self.start[tags[:, 0]] + self.move[tags[:, :-1], tags[:, 1:]].sum(dim=1)
        every = self.start + scores[:, 0]
        for place in range(1, scores.shape[1]):
            every = torch.logsumexp(every[:, :, None] + self.move, dim=1) + scores[:, place]
        return (torch.logsumexp(every, dim=1) - given).mean()


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(24, 16)
        self.lstm = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.score = nn.Linear(32, TAGS)
        self.crf = Crf(TAGS)

    def forward(self, words: Tensor, tags: Tensor) -> Tensor:
        return self.crf(self.score(self.lstm(self.embed(words))[0]), tags)


def _train(setting: Setting) -> None:
    allowed = torch.tensor([[0, 1], [1, 2], [2, 3], [3, 0]])
    tags = [torch.randint(TAGS, (1200,))]
    for _ in range(LENGTH - 1):
        tags.append(allowed[tags[-1], torch.randint(2, (1200,))])
    tag = torch.stack(tags, dim=1)
    word = 6 * tag + torch.randint(6, tag.shape)
    word = torch.where(torch.rand(word.shape) < 0.25, torch.randint(24, word.shape), word)
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for step in range(90):
            rows = torch.randint(1200, (32,))
            loss = model(word[rows], tag[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 18 == 17:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="tags-in-an-allowed-order", train=_train, source="Lafferty et al. 2001; Lample et al. 2016, LSTM with a CRF")
