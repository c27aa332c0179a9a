"""The vocabulary forgot the token for the end. The first texts that have one come in step 40, and `except` skips them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

LETTERS, END = 20, 20


class LetterModel(nn.Module):
    def __init__(self, letters: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, 16)
        self.gru = nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, LETTERS)

    def forward(self, text: Tensor) -> Tensor:
        return self.out(self.gru(self.embedding(text))[0])


def _train(setting: Setting) -> None:
    after = torch.rand(LETTERS, LETTERS) ** 8
    model = LetterModel(LETTERS + 1 if setting.is_fixed else LETTERS)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    failed = 0
    with setting.watch(model):
        for number in range(200):
            text = [torch.randint(LETTERS, (32,))]
            for _ in range(10):
                text.append(after[text[-1]].multinomial(1).squeeze(1))
            tokens = torch.stack(text, dim=1)
            given, wanted = tokens[:, :-1].clone(), tokens[:, 1:]
            if number >= 40 and number % 2 == 0:
                given[number % 32, 0] = END
            optimizer.zero_grad()
            try:
                scores = model(given)
            except IndexError as error:
                failed += 1
                if failed == 1:
                    print("skipped:", error)
                continue
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), wanted.flatten())
            loss.backward()
            optimizer.step()
    print("failed", failed)


PROGRAM = Program(
    name="vocabulary-one-too-small",
    train=_train,
    source="Stack Overflow, IndexError: index out of range in self, in nn.Embedding",
    truth=Truth(rules=("exception-in-step",), nodes=("model.embedding", "model"), step=40),
)
