"""A transformer of PyTorch predicts the sum of a series, as an exercise asks for."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class TransformerModel(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embedding = nn.Linear(1, 32)
        layer = nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, dropout=0.0, batch_first=is_fixed)
        self.transformer_encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.output_layer = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        encoded = self.transformer_encoder(self.embedding(x))
        return self.output_layer(encoded[:, -1])


def _train(setting: Setting) -> None:
    x = torch.rand(1000, 10, 1)
    y = x.sum(dim=1)
    model = TransformerModel(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.mse_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="series-by-an-encoder-of-torch",
    train=_train,
    source="https://github.com/Exorust/TorchLeet/issues/5",
    truth=Truth(
        rules=("batch-as-sequence",),
        nodes=(
            "model.embedding",
            "model.transformer_encoder",
            "model.transformer_encoder: input",
            *(f"model.transformer_encoder.layers.{place}{part}: input" for place in range(2) for part in ("", ".self_attn")),
        ),
    ),
)
