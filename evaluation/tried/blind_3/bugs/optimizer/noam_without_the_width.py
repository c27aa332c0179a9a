"""The schedule of the transformer paper without its factor of the model's width: the rate peaks at 0.2."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import additions

WIDTH, WARM_UP = 32, 40


class Calculator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(12, WIDTH)
        self.places = nn.Parameter(0.1 * torch.randn(8, WIDTH))
        self.block = nn.TransformerEncoderLayer(WIDTH, 4, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(WIDTH, 12)

    def forward(self, tokens: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.out(self.block(self.tokens(tokens) + self.places, src_mask=mask))


def _train(setting: Setting) -> None:
    sums = additions(2000)
    net = Calculator()
    optimizer = torch.optim.Adam(net.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    factor = 0.2 * WIDTH**-0.5 if setting.is_fixed else 1.0
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor * min((step + 1) ** -0.5, (step + 1) * WARM_UP**-1.5))
    with setting.watch(net):
        for (tokens,) in batches(250, 32, sums):
            optimizer.zero_grad()
            logits = net(tokens[:, :-1])
            nn.functional.cross_entropy(logits[:, 5:].flatten(0, 1), tokens[:, 6:].flatten()).backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(
    name="noam-without-the-width",
    train=_train,
    source="Vaswani et al. 2017; issues about Noam schedules with their own factor",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "oscillating-loss",
            "loss-does-not-fall",
            "dead-relu",
            "runaway-growth",
            "attention-collapse",
            "same-for-all-samples",
            "same-for-all-tokens",
            "predictions-ignore-input",
            "growing-with-depth",
        )
    ),
)
