"""`frozen-as-initialized` for embeddings."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.rules.training.frozen_as_initialized import RULE
from support.analysis.watched import recorded, train


@pytest.mark.parametrize(
    ("scale", "shift", "is_frozen", "is_named"),
    [
        (1.0, 0.0, True, True),
        (1.0, 0.0, False, False),
        # 3 / sqrt(40 * 8) is 0.168.
        (0.8, 0.0, True, False),
        (0.02, 0.0, True, True),
        (0.0185, 0.0, True, True),
        # Small vectors must be as near to it as a tenth.
        (0.0177, 0.0, True, False),
        (0.3, 0.0, True, False),
        (1.0, 0.25, True, False),
    ],
    ids=["random", "trained", "smaller", "tiny", "about as tiny", "less so", "usual vectors", "another mean"],
)
def test_a_frozen_embedding_of_a_drawn_deviation_is_a_symptom(
    tmp_path: Path, scale: float, shift: float, is_frozen: bool, is_named: bool
) -> None:
    values = torch.randn(40, 8, generator=torch.Generator().manual_seed(0))
    values = scale * (values - values.mean()) / values.std() + shift
    model = nn.Sequential(nn.Embedding.from_pretrained(values, freeze=is_frozen), nn.Flatten(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD([each for each in model.parameters() if each.requires_grad], lr=0.1)

    def loss(_: int) -> torch.Tensor:
        return nn.functional.cross_entropy(model(torch.randint(0, 40, (8, 3))), torch.randint(0, 3, (8,)))

    run = recorded(tmp_path, model, lambda _: train(model, 3, loss, optimizer=optimizer), check=False)
    findings = [(finding.place.name, finding.severity) for finding in RULE.check(run)]
    assert findings == [("model.0.weight", Severity.SYMPTOM)] * is_named


def test_an_embedding_that_is_frozen_with_other_weights_is_only_mentioned(tmp_path: Path) -> None:
    values = torch.randn(40, 8, generator=torch.Generator().manual_seed(0))
    values = (values - values.mean()) / values.std()
    middle = nn.Linear(24, 12).requires_grad_(False)
    nn.init.normal_(middle.weight, std=0.2)
    model = nn.Sequential(nn.Embedding.from_pretrained(values), nn.Flatten(), middle, nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model[3].parameters(), lr=0.1)

    def loss(_: int) -> torch.Tensor:
        return nn.functional.cross_entropy(model(torch.randint(0, 40, (8, 3))), torch.randint(0, 3, (8,)))

    run = recorded(tmp_path, model, lambda _: train(model, 3, loss, optimizer=optimizer), check=False)
    assert [(finding.place.name, finding.severity) for finding in RULE.check(run)] == [("model.0.weight", Severity.INFORMATION)]
