"""A NaN in one sample of one step of a transformer, found to the step, the function, the sample and the element."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.analysis.findings.rules.non_finite.nan_origin import RULE
from comgra_export.analysis.history.run import read_runs

LAYERS, WIDTH, TOKENS, BATCH = 12, 256, 8, 16
STEP, SAMPLE, TOKEN, FEATURE = 4, 7, 5, 100


class _Block(nn.Module):
    """A block of a transformer that multiplies with a logarithm, which begins at 0."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(WIDTH, 8, 2 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor, scale: Tensor) -> Tensor:
        result: Tensor = x + self.out(self.layer(x) * torch.log(scale))
        return result


class _Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(_Block() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, 4)

    def forward(self, x: Tensor, scales: Tensor) -> Tensor:
        for block, scale in zip(self.blocks, scales, strict=True):
            x = block(x, scale)
        result: Tensor = self.head(x.mean(dim=1))
        return result


@pytest.mark.parametrize("block", [0, 6])
def test_a_logarithm_of_a_negative_number_is_found_to_the_element(tmp_path: Path, block: int) -> None:
    torch.manual_seed(0)
    model = _Transformer()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    with comgra_export.watch(model, tmp_path, sentinels=True):
        for step in range(STEP + 2):
            x, scales = torch.randn(BATCH, TOKENS, WIDTH), 1 + torch.rand(LAYERS, BATCH, TOKENS, WIDTH)
            if step == STEP:
                scales[block, SAMPLE, TOKEN, FEATURE] = -0.31
            optimizer.zero_grad()
            model(x, scales).square().mean().backward()
            optimizer.step()
    (run,) = read_runs(tmp_path)
    (finding,) = RULE.check(run)
    assert finding.step == STEP
    assert finding.place.name == f"model.blocks.{block}.out: input"
    place = f"within `model.blocks.{block}`, in sample {SAMPLE}, at element [{TOKEN}, {FEATURE}]"
    assert f"It begins with log of -0.31 {place}. The operand has values from -0.31 to 2." in finding.message
