"""The first example of docs/recording.md does what it says, as it stands."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from comgra_export.storage import find_recordings, open_recording
from support.places import CHECKOUT

EXAMPLE = CHECKOUT / "examples" / "minimal.py"


def test_it_records_and_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE))
    assert (tmp_path / "report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    (folder,) = find_recordings(tmp_path / "recordings")
    recording = open_recording(folder)
    assert recording.steps[0] == 0
    assert len(recording.steps) > 5
    assert recording.gaps == ()
    step = recording.step(recording.steps[-1])
    (digest,) = step.structures
    assert digest is not None
    structure = recording.structure(digest)
    edges = {(structure.tensors[a].node, structure.tensors[b].node) for a, b in structure.dependencies}
    assert edges >= {("x", "product"), ("model.0.weight", "product"), ("product", "loss")}
    losses = [point.v for point in recording.curve_points if point.group == "loss"]
    assert losses[-1] < losses[0] / 10
