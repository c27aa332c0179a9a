"""The rule `batch-norm-momentum`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.training.batch_norm_momentum import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.watched import recorded, train


def _run(folder: Path, norm: nn.Module, *, is_training: bool = True) -> Run:
    model = nn.Sequential(nn.Linear(4, 8), norm, nn.Linear(8, 3))
    norm.train(is_training)
    return recorded(folder, model, lambda _: train(model, 6, lambda _: model(torch.randn(16, 4)).square().mean()))


@pytest.mark.parametrize(("momentum", "count"), [(1e-05, 0), (0.1, 0), (0.89, 0), (0.9, 1), (1.0, 1)])
def test_a_momentum_of_another_framework_is_a_symptom(tmp_path: Path, momentum: float, count: int) -> None:
    findings = list(RULE.check(_run(tmp_path, nn.BatchNorm1d(8, momentum=momentum))))
    assert [(finding.place.name, finding.severity, finding.value) for finding in findings] == [
        ("model.1", Severity.SYMPTOM, momentum)
    ] * count


def test_statistics_that_are_not_kept_or_not_updated_do_not_count(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path / "frozen", nn.BatchNorm1d(8, momentum=1.0), is_training=False))) == []
    for place, norm in enumerate((nn.BatchNorm1d(8, momentum=None), nn.BatchNorm1d(8, momentum=1.0, track_running_stats=False))):
        with pytest.raises(NotCheckedError):
            list(RULE.check(_run(tmp_path / str(place), norm)))
