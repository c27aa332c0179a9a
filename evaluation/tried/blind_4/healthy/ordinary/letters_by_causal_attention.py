"""A small causal transformer learns the next letter of texts that a Markov chain wrote."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Letters(nn.Module):
    def __init__(self, letters: int = 20, width: int = 32, context: int = 16) -> None:
        super().__init__()
        self.tokens = nn.Embedding(letters, width)
        self.places = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True, norm_first=True) for _ in range(2)
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters)

    def forward(self, text: Tensor) -> Tensor:
        length = text.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        x = self.tokens(text) + self.places(torch.arange(length))
        for block in self.blocks:
            x = block(x, src_mask=mask, is_causal=True)
        return self.head(self.norm(x))


def _train(setting: Setting) -> None:
    chain = torch.softmax(2.5 * torch.randn(20, 20), dim=1)
    text = torch.zeros(800, 17, dtype=torch.long)
    text[:, 0] = torch.randint(0, 20, (800,))
    for place in range(1, 17):
        text[:, place] = torch.multinomial(chain[text[:, place - 1]], 1)[:, 0]
    model = _Letters()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(800).split(32):
                batch = text[index]
                loss = nn.functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            print("loss", loss.item())


PROGRAM = Program(name="letters-by-causal-attention", train=_train, source="Karpathy, minGPT and nanoGPT")
