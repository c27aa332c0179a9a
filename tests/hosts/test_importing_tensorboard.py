"""Event files that PyTorch writes become recordings with all of their points."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import comgra_export
from comgra_export.errors import MisuseError
from comgra_export.importers.tensorboard import import_tensorboard
from support.hosts.runs import needs

needs("tensorboard")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.utils.tensorboard import SummaryWriter

pytestmark = pytest.mark.filterwarnings("ignore")
VALUES = [math.sin(step) for step in range(500)]
VALUES[3:6] = [math.nan, math.inf, -math.inf]


def write_runs(logdir: Path) -> None:
    for run in ("first", "deep/second"):
        with SummaryWriter(logdir / run) as writer:  # type: ignore[no-untyped-call]
            for step, value in enumerate(VALUES):
                writer.add_scalar("loss/train", value, 10 * step)  # type: ignore[no-untyped-call]
            writer.add_scalar("accuracy", 0.5, 7, new_style=True)  # type: ignore[no-untyped-call]


def test_each_run_is_a_trial_with_all_points_of_its_curves(tmp_path: Path) -> None:
    write_runs(tmp_path / "logs")
    done = import_tensorboard(tmp_path / "logs", tmp_path / "out")
    assert done.trials == (("deep - second", 2, 501), ("first", 2, 501))
    for trial in comgra_export.read(done.folder).trials.values():
        curve = trial.curves.where(group="loss", curve="train")
        np.testing.assert_array_equal(curve["t"], 10 * np.arange(500))
        np.testing.assert_allclose(curve["value"], VALUES, rtol=1e-6)
        single = trial.curves.where(group="accuracy", curve="accuracy")
        assert (single["t"].tolist(), single["value"].tolist()) == ([7], [0.5])


def test_an_import_is_replaced_if_asked_and_shown_in_a_page(tmp_path: Path) -> None:
    write_runs(tmp_path / "logs")
    done = import_tensorboard(tmp_path / "logs" / "first", tmp_path / "out")
    assert [trial[0] for trial in done.trials] == ["first"]
    with pytest.raises(MisuseError, match="already"):
        import_tensorboard(tmp_path / "logs" / "first", tmp_path / "out")
    import_tensorboard(tmp_path / "logs" / "first", tmp_path / "out", replace=True)
    page = comgra_export.export(done.folder, tmp_path / "report.html").path
    assert len(comgra_export.read(page).trial.curves) == 501
