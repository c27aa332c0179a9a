"""A transformer encoder with a padding mask tells topics apart, with AdamW and warm-up."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Topics(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(60, 32, padding_idx=0)
        self.places = nn.Embedding(16, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.classifier = nn.Linear(32, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        is_padding = tokens == 0
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        x = self.encoder(x, src_key_padding_mask=is_padding)
        x = x.masked_fill(is_padding[..., None], 0).sum(1) / (~is_padding).sum(1, keepdim=True)
        return self.classifier(x)


def _train(setting: Setting) -> None:
    topics = torch.softmax(1.2 * torch.randn(4, 59), dim=1)
    labels = torch.randint(0, 4, (1000,))
    tokens = 1 + torch.multinomial(topics[labels], 16, replacement=True)
    tokens[torch.arange(16) >= torch.randint(6, 17, (1000, 1))] = 0
    model = _Topics()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 40))
    with setting.watch(model):
        for _ in range(10):
            model.train()
            for index in torch.randperm(800).split(32):
                loss = nn.functional.cross_entropy(model(tokens[index]), labels[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
    model.eval()
    with torch.no_grad():
        print("accuracy", (model(tokens[800:]).argmax(1) == labels[800:]).float().mean().item())


PROGRAM = Program(name="topics-by-transformer", train=_train, source="Hugging Face course: text classification")
