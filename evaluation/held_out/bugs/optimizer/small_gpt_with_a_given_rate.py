"""A small decoder learns phrases with Adam. The rate is set in a configuration, and replaces that of the model."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth

CONFIG = {"batch": 40, "learning_rate": 2.0}


class SmallGPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wte = nn.Embedding(24, 32)
        self.wpe = nn.Embedding(16, 32)
        self.block = nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, dropout=0.0, batch_first=True, norm_first=True)
        self.ln_f = nn.LayerNorm(32)
        self.lm_head = nn.Linear(32, 24, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        x = self.wte(tokens) + self.wpe(torch.arange(length))
        x = self.block(x, src_mask=nn.Transformer.generate_square_subsequent_mask(length), is_causal=True)
        return self.lm_head(self.ln_f(x))


def _train(setting: Setting) -> None:
    text = phrases(1200)
    model = SmallGPT()
    rate = 2.5e-3 if setting.is_fixed else CONFIG["learning_rate"]
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1200).split(40):
                logits = model(text[rows, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[rows, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="small-gpt-with-a-given-rate",
    train=_train,
    source="https://github.com/OpenNMT/OpenNMT-tf/issues/744",
    truth=Truth(rules=("updates-too-large", "diverging-loss", "oscillating-loss", "loss-does-not-fall", "logit-growth")),
)
