"""What lies at the place of a bundle: whether it may be replaced, and how a new bundle takes its place."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path
from typing import Literal

from comgra_export.errors import OutputExistsError
from comgra_export.exporter.output.exchanging import exchange
from comgra_export.exporter.output.shapes import DATA_FOLDER, NO_JEKYLL, PAGE, README, VERSION_FILE, generation_of
from comgra_export.exporter.output.workplace import JOURNAL, REPLACED
from comgra_export.storage.files.places import Place

__all__ = ["bytes_at", "check_replaceable", "newest_generation", "put_in_place", "renew_live_folder"]

_MARK = b'<script type="application/json" id="bundle-index">{"format":"comgra-bundle"'
_FIRST_BYTES = 1_000_000


def bytes_at(path: Place, generation: int = 0) -> int:
    """The size of a file, or of all files in a folder; of a live folder without what is of another generation."""
    if not isinstance(path, Path):
        return path.bytes()
    if not path.is_dir():
        return path.stat().st_size
    files = (file for file in path.rglob("*") if generation == 0 or generation_of(file.name) in (None, 0, generation))
    return sum(map(_file_bytes, files))


def _file_bytes(file: Path) -> int:
    try:
        status = file.stat()
    except OSError:
        # Another build has just replaced it.
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def check_replaceable(path: Place, shape: Literal[".html", ".zip", ""], *, force: bool) -> None:
    """Makes sure that a bundle of a shape may be written to a place.

    Raises:
        OutputExistsError: Something is there, and `force` is False or it is not a bundle of this shape.
    """
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise OutputExistsError(f"{path} already exists.", is_replaceable=True)
    if path.is_symlink():
        raise OutputExistsError(f"{path} is a link, so it is not replaced. Give the place that it leads to, or another name.")
    if shape == "":
        if not path.is_dir():
            raise OutputExistsError(
                f"{path} is a file, and this name asks for a folder. Choose another name, or one that ends in .html or .zip."
            )
        foreign = _foreign_entry(path)
        if foreign is not None:
            raise OutputExistsError(f"{path} is not replaced: it holds something other than a bundle, {foreign}. Choose another name.")
    elif not path.is_file():
        raise OutputExistsError(f"{path} is not a file, so it is not replaced. Choose another name.")
    elif bytes_at(path) and not (_is_zip_of_ours(path) if shape == ".zip" else _is_page_of_ours(path)):
        raise OutputExistsError(f"{path} is not replaced: it is not a bundle. Choose another name, or remove it.")


def _foreign_entry(folder: Place) -> str | None:
    """Returns the name of something in a folder that is not part of a bundle; None for a bundle and for an empty folder."""
    for entry in sorted(folder.iterdir(), key=_by_name):
        if entry.name == DATA_FOLDER and entry.is_dir():
            strange = next((chunk.name for chunk in sorted(entry.iterdir(), key=_by_name) if generation_of(chunk.name) is None), None)
            if strange is not None:
                return f"{DATA_FOLDER}/{strange}"
        elif entry.name not in (PAGE, README, NO_JEKYLL) or not entry.is_file():
            return entry.name
        elif entry.name == PAGE and not _is_page_of_ours(entry):
            return f"{PAGE} of another kind"
    has_page = (folder / PAGE).is_file()
    return None if has_page else next((entry.name for entry in sorted(folder.iterdir(), key=_by_name)), None)


def _by_name(entry: Place) -> str:
    return entry.name


def _is_page_of_ours(page: Place) -> bool:
    with page.open("rb") as stream:
        return _is_text_of_ours(stream.read(_FIRST_BYTES))


def _is_text_of_ours(page: bytes) -> bool:
    """Whether the first script of a page is an index: a page that quotes ours has it elsewhere."""
    return page.startswith(_MARK, page.find(b"<script"))


def _is_zip_of_ours(path: Place) -> bool:
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive, archive.open(PAGE) as page:
            return _is_text_of_ours(page.read(_FIRST_BYTES))
    except Exception:  # What zlib, bz2 and lzma raise has no common root.
        return False


def put_in_place(result: Path, path: Path, workplace: Path) -> None:
    """Moves a bundle to its place. If that fails, what was there before stays.

    At every moment the old or the new bundle is in its place. If the system cannot let two folders change places, there is none for an
    instant; if the process is killed in it, `remove_leftovers` of the next build puts the new one there.
    """
    if not (result.is_dir() and path.exists()):
        os.replace(result, path)
        return
    if exchange(result, path):
        return
    (workplace / JOURNAL).write_text(f"{path.name}\n{result.name}\n", encoding="utf-8")
    replaced = workplace / REPLACED
    os.rename(path, replaced)
    try:
        os.rename(result, path)
    except OSError:
        os.rename(replaced, path)
        raise


def newest_generation(path: Path) -> int:
    """The newest generation of a folder; 0 if there is none."""
    data = path / DATA_FOLDER
    return max((generation_of(file.name) or 0 for file in data.iterdir()), default=0) if data.is_dir() else 0


def renew_live_folder(path: Path, result: Path, generation: int) -> None:
    """Puts a new generation beside the one that open pages have, then names it, then removes older ones.

    At every moment there is a page with all that belongs to it.
    """
    (path / DATA_FOLDER).mkdir(exist_ok=True)
    files = [file.relative_to(result) for file in sorted(result.rglob("*")) if file.is_file()]
    last = {PAGE: 1, VERSION_FILE: 2}
    for file in sorted(files, key=lambda file: last.get(file.as_posix(), 0)):
        os.replace(result / file, path / file)
    for file in (path / DATA_FOLDER).iterdir():
        if file.name != Path(VERSION_FILE).name and generation_of(file.name) not in (generation, generation - 1):
            file.unlink()
