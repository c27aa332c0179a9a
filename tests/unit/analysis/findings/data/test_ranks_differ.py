"""The rule about parameters that differ between ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.data.ranks_differ import RULE
from comgra_export.analysis.history.run import Run, read_run
from support.analysis.rank_recordings import Tensor, merged_ranks, open_ranks, tensor, write_rank


def _parameter(name: str, value: float) -> Tensor:
    return tensor(name, np.full((2, 2), value, np.float32), batch=None, type="parameter", iteration=-1)


def test_parameters_with_other_values_on_another_rank(tmp_path: Path) -> None:
    same = _parameter("bias", 0.5)
    ranks = [[_parameter("weight", value), same] for value in (1.0, np.nextafter(np.float32(1), np.float32(2)))]
    (finding,) = RULE.check(Run(merged_ranks(tmp_path, ranks, steps=(3, 4))))
    assert [place.name for place in finding.places] == ["weight"]
    assert finding.step == 3
    assert "1 of 2 parameters" in finding.message


def test_what_else_differs_is_as_it_should_be(tmp_path: Path) -> None:
    of_samples = [tensor("loss", np.full((2, 2), value, np.float32), batch=None) for value in (1.0, 2.0)]
    merged = merged_ranks(tmp_path, [[_parameter("weight", 1.0), each] for each in of_samples])
    assert list(RULE.check(Run(merged))) == []


def test_a_single_rank_is_not_checked(tmp_path: Path) -> None:
    write_rank(tmp_path, 0, [_parameter("weight", 1.0)]).close()
    with pytest.raises(NotCheckedError, match="one rank"):
        list(RULE.check(read_run(open_ranks(tmp_path))))
