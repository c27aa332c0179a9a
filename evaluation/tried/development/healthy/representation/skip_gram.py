"""Word vectors with negative samples, sparse gradients and SparseAdam."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class _SkipGram(nn.Module):
    def __init__(self, vocabulary: int, width: int = 12) -> None:
        super().__init__()
        self.center = nn.Embedding(vocabulary, width, sparse=True)
        self.context = nn.Embedding(vocabulary, width, sparse=True)
        nn.init.uniform_(self.center.weight, -0.5 / width, 0.5 / width)
        nn.init.zeros_(self.context.weight)

    def forward(self, center: Tensor, context: Tensor, negatives: Tensor) -> Tensor:
        v = self.center(center)
        positive = (v * self.context(context)).sum(1)
        negative = torch.bmm(self.context(negatives), v.unsqueeze(2)).squeeze(2)
        return -(nn.functional.logsigmoid(positive) + nn.functional.logsigmoid(-negative).sum(1)).mean()


def _train(setting: Setting) -> None:
    text = words(20_000)
    model = _SkipGram(len(WORDS))
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=5e-3)
    with setting.watch(model):
        for _ in range(1000):
            index = torch.randint(2, len(text) - 2, (64,))
            offset = torch.tensor([-2, -1, 1, 2])[torch.randint(4, (64,))]
            negatives = torch.randint(len(WORDS), (64, 5))
            loss = model(text[index], text[index + offset], negatives)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="skip-gram", train=_train, source="Mikolov et al. 2013 (word2vec)")
