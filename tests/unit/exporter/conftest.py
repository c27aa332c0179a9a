"""A stand-in for the built viewer, so that these tests do not depend on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from comgra_export.exporter.output import viewer as viewer_module
from comgra_export.resources import find_resource
from support.exporter.stand_in import FRAME, SCRIPT, STYLE


@pytest.fixture(autouse=True)
def viewer(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the stand-in."""
    folder = tmp_path_factory.mktemp("viewer")
    (folder / "viewer.js").write_text(SCRIPT, newline="\n")
    (folder / "drawing_frame.js").write_text(FRAME, newline="\n")
    (folder / "viewer.css").write_text(STYLE, newline="\n")

    def find(name: str) -> Path:
        return folder / Path(name).name if name.startswith("static/dist/") else find_resource(name)

    monkeypatch.setattr(viewer_module, "find_resource", find)
    return folder
