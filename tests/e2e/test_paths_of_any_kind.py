"""Every public function that takes a path takes a text, a `Path` and whatever else is one, and the package registers nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import comgra_export
from comgra_export import ComgraRecorder
from comgra_export.importers.checkpoints import import_checkpoints
from comgra_export.importers.comgra import import_comgra
from comgra_export.importers.vnittest import import_vnittest, write_vnittest
from comgra_export.integrations.torch_export import record_program
from comgra_export.storage import find_recordings
from support.places import DATA


class Place:
    """A path that is neither a text nor a `Path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __fspath__(self) -> str:
        return str(self._path)


Kind = Callable[[Path], str | os.PathLike[str]]


@pytest.fixture(params=[str, Path, Place], ids=["text", "Path", "another"])
def kind(request: pytest.FixtureRequest) -> Kind:
    made: Kind = request.param
    return made


def _run(array: Tensor, recorder: ComgraRecorder) -> None:
    with recorder.batch(0, len(array)), recorder.iteration():
        recorder.register_tensor("x", array, is_input=True)


def test_what_is_recorded_is_read_judged_built_and_run_again(kind: Kind, tmp_path: Path) -> None:
    root, page = tmp_path / "recordings", tmp_path / "report.html"
    with ComgraRecorder(kind(root), trial_id="named") as recorder:
        _run(torch.ones(2, 3), recorder)
    with comgra_export.watch(model := torch.nn.Linear(3, 1), kind(root), trial_id="watched"):
        model.eval()(torch.ones(2, 3))
    array = np.zeros((2, 3), np.float32)
    comgra_export.rerun(_run, array, kind(root), group="default", trial="named", note="zeros")
    names = {"named", "watched", "named edit 1"}
    assert {trial.name for trial in comgra_export.read(kind(root)).trials.values()} == names
    assert len(comgra_export.findings(kind(root))) == len(names)
    comgra_export.export(kind(root), kind(page))
    assert {trial.name for trial in comgra_export.read(kind(page)).trials.values()} == names
    table = comgra_export.read(kind(root)).trials["default/named"].statistics
    table.to_csv(kind(tmp_path / "table.csv"))
    assert (tmp_path / "table.csv").read_text().startswith("step,iteration,")


def test_what_others_made_is_imported(kind: Kind, tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "step-1.pt")
    import_checkpoints([kind(tmp_path / "step-1.pt")], kind(tmp_path / "checkpoints"))
    import_comgra(kind(DATA / "comgra"), kind(tmp_path / "comgra"))
    import_vnittest(kind(DATA / "vnittest"), kind(tmp_path / "vnittest"))
    record_program(torch.export.export(torch.nn.Linear(2, 1), (torch.ones(1, 2),)), kind(tmp_path / "program"))
    for folder in ("checkpoints", "comgra", "vnittest", "program"):
        assert len(find_recordings(kind(tmp_path / folder))) == 1, folder
    write_vnittest(kind(tmp_path / "vnittest"), kind(tmp_path / "written"))
    assert len(list((tmp_path / "written").iterdir())) == 3


def test_installing_the_package_registers_only_its_commands() -> None:
    """No host, and no pytest, loads anything of it by itself."""
    assert {point.group for point in distribution("comgra-export").entry_points} == {"console_scripts"}
