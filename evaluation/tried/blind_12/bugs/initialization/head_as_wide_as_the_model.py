"""The weights of the output layer have deviation 1: the first logits are as large as the model is wide."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class Decoder(nn.Module):
    def __init__(self, vocabulary: int, d_model: int = 64, length: int = 15) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        self.position = nn.Parameter(0.02 * torch.randn(length, d_model))
        layer = nn.TransformerEncoderLayer(d_model, 4, 128, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d_model)
        self.lm_head = nn.Linear(d_model, vocabulary, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.lm_head(self.norm(self.blocks(self.embed(ids) + self.position, mask=mask, is_causal=True)))


def _train(setting: Setting) -> None:
    text = phrases(1200)
    model = Decoder(24)
    with torch.no_grad():
        model.lm_head.weight.normal_(mean=0.0, std=64**-0.5 if setting.is_fixed else 1.0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1200).split(40):
                logits = model(text[rows, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[rows, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.3f}")


PROGRAM = Program(
    name="head-as-wide-as-the-model",
    train=_train,
    source="https://github.com/huggingface/transformers/pull/26441",
    truth=Truth(rules=("initial-loss", "logit-growth"), nodes=("model.lm_head", "model: output")),
)
