"""A pretrained transformer is fine-tuned with a learning rate for each layer: the lower it is, the smaller the rate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import babble, padded


class Reader(nn.Module):
    def __init__(self, vocabulary: int, width: int = 32) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(0.02 * torch.randn(24, width))
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(width, 4, 64, dropout=0.1, batch_first=True) for _ in range(2)])

    def forward(self, tokens: Tensor, padding: Tensor | None = None) -> Tensor:
        x = self.embed(tokens) + self.places[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return x


class Classifier(nn.Module):
    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader
        self.head = nn.Linear(32, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.reader(tokens, tokens == 0)[:, 0])


def pretrain(reader: Reader) -> None:
    """Tells which words were exchanged."""
    exchanged = nn.Linear(32, 1)
    optimizer = torch.optim.Adam([*reader.parameters(), *exchanged.parameters()], lr=2e-3)
    texts = babble(800, vocabulary=13)
    for _ in range(40):
        text = texts[torch.randint(800, (32,))]
        is_other = torch.rand(text.shape) < 0.2
        scores = exchanged(reader(torch.where(is_other, torch.randint(13, text.shape), text)))[..., 0]
        loss = nn.functional.binary_cross_entropy_with_logits(scores, is_other.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def _train(setting: Setting) -> None:
    data = padded(1200)
    reader = Reader(13)
    pretrain(reader)
    model = Classifier(reader)
    stages: list[nn.Module] = [reader.embed, *reader.layers, model.head]
    groups = [{"params": list(stage.parameters()), "lr": 3e-3 * 0.6 ** (len(stages) - 1 - i)} for i, stage in enumerate(stages)]
    groups.append({"params": [reader.places], "lr": 3e-3 * 0.6**3})
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 10, (110 - step) / 100))
    with setting.watch(model):
        for step in range(100):
            rows = torch.randint(1200, (32,))
            loss = nn.functional.cross_entropy(model(data.tokens[rows]), data.labels[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            if step % 25 == 24:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="lower-layers-learn-slower", train=_train, source="Howard and Ruder 2018, discriminative fine-tuning")
