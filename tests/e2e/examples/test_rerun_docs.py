"""The example of docs/rerun.md does what it says, as it stands."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import comgra_export
from comgra_export.storage import open_recording
from support.places import CHECKOUT

PAGE = CHECKOUT / "docs" / "rerun.md"


def test_the_function_runs_the_network_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    (tmp_path / "train.py").write_text(code[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    function = runpy.run_path("train.py", run_name="__main__")["rerun"]
    array = np.zeros((8, 3), dtype=np.float32)
    folder = comgra_export.rerun(function, array, "recordings", group="default", trial="trial", note="of a test")
    assert folder.name == "trial edit 1"
    recording = open_recording(folder / "rank-0")
    assert [note.text for note in recording.notes] == ["of a test"]
    assert recording.blobs(0)["values.F32"].data[: array.size].tolist() == [0] * array.size
