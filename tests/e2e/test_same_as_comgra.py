"""Scripts that use the whole interface of comgra 0.11.5 record with ours what they record with comgra: `make test-full`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import comgra_export
from benchmarks.tools.environments import COMGRA, OtherToolEnvironment
from comgra_export.errors import WrongChoiceError
from comgra_export.importers.comgra import import_comgra
from comgra_export.reading import Trial
from comgra_export.reading.table import Table
from support.breadth import breadth
from support.importers import comgra_whole_api
from support.importers.comgra_whole_api import GROUPS, run_scripts

FORWARD = "forward"


@pytest.fixture(scope="module")
def logs_and_trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Any], list[Any], dict[str, tuple[Trial, Trial]]]]:
    """What the scripts have read from comgra and from us, and by name what both have recorded: comgra first."""
    if breadth() != "full":
        pytest.skip("comgra is installed and compared by `make test-full`")
    folder = tmp_path_factory.mktemp("whole")
    python = OtherToolEnvironment(COMGRA).python
    command = [str(python), comgra_whole_api.__file__, "comgra", str(folder / "theirs"), str(folder / "log.json")]
    done = subprocess.run(command, env={**os.environ, "PYTHONWARNINGS": "ignore"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ours = run_scripts("comgra_export", folder / "ours")
    recorded = {trial.name: trial for trial in comgra_export.read(folder / "ours").trials.values()}
    trials = {}
    for group, name in GROUPS.items():
        assert import_comgra(folder / "theirs" / group, folder / "imported" / name).gaps == ()
        trials[name] = (comgra_export.read(folder / "imported" / name).trial, recorded[name])
    yield json.loads((folder / "log.json").read_text("utf-8")), ours, trials
    del comgra_export.my_recorder


def rows(table: Table, columns: tuple[str, ...], values: tuple[str, ...] = ()) -> dict[Any, list[float]]:
    every = zip(*(table[name].tolist() for name in (*columns, *values)), strict=True)
    return {row[: len(columns)]: list(row[len(columns) :]) for row in every}


def test_scripts_read_the_same(logs_and_trials: Any) -> None:  # noqa: ANN401
    theirs, ours, _ = logs_and_trials
    assert theirs == ours


@pytest.mark.parametrize("name", GROUPS.values())
def test_scripts_record_the_same(name: str, logs_and_trials: Any) -> None:  # noqa: ANN401
    theirs, ours = logs_and_trials[2][name]
    assert rows(theirs.steps, ("step", "type")) == rows(ours.steps, ("step", "type"))
    assert theirs.notes["text"].tolist()[1:] == ours.notes["text"].tolist()
    columns = ("step", "iteration", "tensor", "role", "group", "item")
    imported, recorded = (rows(trial.statistics, columns, ("mean", "abs_max", "std")) for trial in (theirs, ours))
    assert imported.keys() == recorded.keys()
    for key, numbers in recorded.items():
        # A gradient that is absent is zeros in comgra.
        expected = np.nan_to_num(numbers) if key[4] != FORWARD else numbers
        np.testing.assert_allclose(np.nan_to_num(imported[key]), np.nan_to_num(expected), rtol=1e-5, atol=1e-6, err_msg=str(key))
    for step in ours.steps["step"].tolist():
        graphs = [trial.graph(step) for trial in (theirs, ours)]
        edges = [rows(graph.edges, ("iteration", "source", "target")).keys() for graph in graphs]
        nodes = [rows(graph.nodes, ("iteration", "tensor", "node", "role", "type")).keys() for graph in graphs]
        assert (edges[0], nodes[0]) == (edges[1], nodes[1])


def _values(trial: Trial, step: float, iteration: int, tensor: str, role: str, group: str) -> NDArray[Any] | None:
    """None if none were recorded."""
    try:
        if group == FORWARD:
            return trial.values(tensor, step, iteration, role)
        return trial.gradients(tensor, step, group, iteration, role)
    except WrongChoiceError:
        return None


@pytest.mark.parametrize("name", GROUPS.values())
def test_scripts_keep_the_same_values_and_gradients(name: str, logs_and_trials: Any) -> None:  # noqa: ANN401
    theirs, ours = logs_and_trials[2][name]
    compared = 0
    for step, iteration, tensor, role, group in {
        key[:5] for key in rows(ours.statistics, ("step", "iteration", "tensor", "role", "group"))
    }:
        imported, recorded = (_values(trial, step, iteration, tensor, role, group) for trial in (theirs, ours))
        if recorded is None and imported is not None:
            # A gradient that is absent is zeros in comgra.
            assert group != FORWARD
            recorded = np.zeros_like(imported)
        assert (imported is None) == (recorded is None), (step, iteration, tensor, role, group)
        if imported is not None and recorded is not None:
            compared += imported.size
            np.testing.assert_allclose(imported, recorded, rtol=1e-5, atol=1e-6, err_msg=str((step, tensor, group)))
    assert compared > 50


@pytest.mark.parametrize("name", GROUPS.values())
def test_scripts_draw_the_same_curves(name: str, logs_and_trials: Any) -> None:  # noqa: ANN401
    imported, recorded = (rows(trial.curves, ("curve", "group", "type", "t"), ("value",)) for trial in logs_and_trials[2][name])
    # comgra loses what is recorded before the first step.
    recorded = {key: value for key, value in recorded.items() if key[0] != "before"}
    assert imported.keys() == recorded.keys()
    for key, value in recorded.items():
        np.testing.assert_allclose(imported[key], value, rtol=1e-6)
