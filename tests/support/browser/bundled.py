"""The bundles that the browser tests open."""

from __future__ import annotations

import zipfile
from pathlib import Path

import comgra_export

__all__ = ["DESCRIPTION", "SHAPES", "TITLE", "write_bundles"]

SHAPES = ("single", "folder", "zip")
TITLE = 'A <title> & "more" </script><img src=x onerror=alert(1)>'
DESCRIPTION = "What this shows: <b>everything</b>."


def write_bundles(group: Path, folder: Path) -> dict[str, Path]:
    """Export a group in every shape and return the page of each. The zip is extracted, as its instructions say."""

    def write(name: str) -> Path:
        return comgra_export.export(group, folder / name, title=TITLE, description=DESCRIPTION).path

    single, unpacked = write("report.html"), write("report")
    with zipfile.ZipFile(write("report.zip")) as archive:
        archive.extractall(folder / "extracted")
    (extracted,) = (folder / "extracted").rglob("index.html")
    return {"single": single, "folder": unpacked / "index.html", "zip": extracted}
