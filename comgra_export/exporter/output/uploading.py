"""Bundles at an address: written whole on this machine, then uploaded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from comgra_export.exporter.output.shapes import DATA_FOLDER, PAGE
from comgra_export.storage.files.remote import RemotePath

__all__ = ["uploaded_to"]


@contextmanager
def uploaded_to(place: RemotePath) -> Iterator[Path]:
    """Gives a place on this machine, in a temporary folder, and uploads what is there when the block ends without an error.

    Whoever opens the page then finds all that belongs to it: the page of a folder comes last. After it, files of an older bundle that
    this one does not have are removed.

    Raises:
        OSError: It cannot be uploaded.
    """
    with tempfile.TemporaryDirectory(prefix="comgra-export-") as folder:
        result = Path(folder) / place.name
        yield result
        if result.is_file():
            place.upload(result)
        else:
            _upload_folder(result, place)


def _upload_folder(result: Path, place: RemotePath) -> None:
    files = sorted(file for file in result.rglob("*") if file.is_file())
    for file in sorted(files, key=lambda file: file == result / PAGE):
        (place / file.relative_to(result).as_posix()).upload(file)
    if (place / DATA_FOLDER).is_dir():
        own = {file.name for file in files}
        for chunk in (place / DATA_FOLDER).iterdir():
            if chunk.name not in own:
                chunk.unlink()
