"""`masked_fill` returns a new tensor. Its result is dropped, so the network reads the words that it should guess."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble

MASK = 8


class WordGuesser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(9, 32)
        self.places = nn.Parameter(0.02 * torch.randn(12, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.out = nn.Linear(32, 8)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.encoder(self.words(tokens) + self.places))


def _train(setting: Setting) -> None:
    texts = babble(1200, length=12, vocabulary=8)
    model = WordGuesser()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(300):
            words = texts[torch.randint(1000, (32,))]
            hidden = torch.rand(words.shape) < 0.2
            given = words.clone()
            masked = given.masked_fill(hidden, MASK)
            if setting.is_fixed:
                given = masked
            loss = nn.functional.cross_entropy(model(given)[hidden], words[hidden])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.3f}")
    with torch.no_grad():
        words = texts[1000:]
        hidden = torch.rand(words.shape) < 0.2
        guessed = model(words.masked_fill(hidden, MASK))[hidden].argmax(dim=1)
        print(f"test {(guessed == words[hidden]).float().mean():.3f}")


PROGRAM = Program(
    name="masked-fill-result-dropped",
    train=_train,
    source="PyTorch forum, masked_fill is not in place; Devlin et al. 2019 for the masks",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input tokens", "model.words", "cross_entropy: target", "cross_entropy")),
)
