"""There are vectors for twelve places. Longer texts, which come from step 60 on, raise an error that is caught and forgotten."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


class PlacedModel(nn.Module):
    def __init__(self, places: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(14, 24), nn.Embedding(places, 24)
        self.mix = nn.GRU(24, 32, batch_first=True)
        self.out = nn.Linear(32, 14)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        return self.out(self.mix(x)[0])


def _train(setting: Setting) -> None:
    texts = babble(1500, length=19, vocabulary=14)
    model = PlacedModel(18 if setting.is_fixed else 12)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    learned = 0
    with setting.watch(model):
        for step in range(180):
            length = 19 if step >= 60 and step % 3 != 1 else 12
            text = texts[torch.randint(1500, (30,)), :length]
            try:
                scores = model(text[:, :-1])
                loss = nn.functional.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten())
            except IndexError:
                continue
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            learned += 1
    print(f"{learned} batches, {loss.item():.3f}")


PROGRAM = Program(
    name="long-texts-are-skipped",
    train=_train,
    source="Hugging Face issues, index out of range in self for long texts",
    truth=Truth(rules=("exception-in-step",), nodes=("model.places", "model"), step=60),
)
