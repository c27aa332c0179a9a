"""An encoder with a token for the class and a mask for the padding sorts letters of different lengths."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Judge(nn.Module):
    def __init__(self, vocabulary: int, width: int = 32, length: int = 12) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary + 2, width, padding_idx=vocabulary)
        self.place = nn.Parameter(0.1 * torch.randn(length + 1, width))
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.05, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = torch.cat([torch.full((len(tokens), 1), 25), tokens], dim=1)
        hidden = self.encoder(self.embed(tokens) + self.place, src_key_padding_mask=tokens == 24)
        return self.head(hidden[:, 0])


def _train(setting: Setting) -> None:
    kind = torch.randint(0, 3, (1800,))
    own = kind[:, None] * 8 + torch.randint(0, 8, (1800, 12))
    tokens = torch.where(torch.rand(1800, 12) < 0.45, own, torch.randint(0, 24, (1800, 12)))
    lengths = torch.randint(6, 13, (1800, 1))
    tokens = tokens.masked_fill(torch.arange(12) >= lengths, 24)
    model = Judge(24)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1800).split(50):
                loss = nn.functional.cross_entropy(model(tokens[rows]), kind[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="mail-sorted-by-an-encoder", train=_train, source="Devlin et al. 2019, a token for the whole sentence")
