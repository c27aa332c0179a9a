"""Where a bundle goes: its shape by its name, what may be replaced, and putting it there whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from comgra_export.errors import OutputExistsError, OutputNotWritableError, WrongChoiceError
from comgra_export.exporter.format import Index
from comgra_export.exporter.format.chunks import EncodedChunk
from comgra_export.exporter.output.live_folder import LiveFolderShape, known_identities
from comgra_export.exporter.output.page import InlineChunk
from comgra_export.exporter.output.shapes import (
    DATA_FOLDER,
    NO_JEKYLL,
    PAGE,
    README,
    VERSION_FILE,
    FolderShape,
    OneFileShape,
    Shape,
    ZipShape,
    generation_of,
)

__all__ = ["Output", "TooLargeError", "bytes_at", "check_output", "open_output", "shape_of"]

_MARK = b'id="bundle-index"'
# Not the numbers and versions that names of runs end in: `lr0.01`, `report.v2`.
_FILE_ENDING = re.compile("[.][a-z]{2,5}")


class TooLargeError(Exception):
    """A bundle turned out to be larger than it may be.

    Attributes:
        bytes: Its size so far.
        numbers_raw: Raw bytes of the numbers in it so far; None where it is complete.
        numbers_encoded: What these take in the bundle.
    """

    def __init__(self, count: float, numbers_raw: int | None = None, numbers_encoded: float = 0) -> None:
        super().__init__(f"{count:.0f} bytes")
        self.bytes = count
        self.numbers_raw = numbers_raw
        self.numbers_encoded = numbers_encoded

    def projected(self, numbers: int) -> float:
        """Its size with this many raw bytes of numbers, if the rest is like what is there."""
        if not self.numbers_raw:
            return self.bytes
        return self.bytes + self.numbers_encoded * max(0.0, numbers / self.numbers_raw - 1)


class Output:
    """A bundle being written. An `OSError` of the place that it is written to becomes an `OutputNotWritableError`.

    Args:
        path: Its place.
        shape: Writes it.
        max_bytes: The most that it may have; None: as much as it needs.
        generation: Which build of a live folder it is; 0 where it is none.
    """

    def __init__(self, path: Path, shape: Shape, max_bytes: int | None, generation: int) -> None:
        self.generation = generation
        self._path = path
        self._shape = shape
        self._max_bytes = max_bytes
        self._numbers_raw = 0
        self._numbers = 0

    @property
    def inline_chunks(self) -> Iterable[InlineChunk]:
        """The chunks inside the page so far."""
        return self._shape.inline_chunks

    @property
    def identities(self) -> list[int]:
        """What tells the chunks so far apart; empty where no open page compares them with others."""
        return self._shape.identities

    @property
    def has_chunk_files(self) -> bool:
        """Whether a chunk went into a file of its own."""
        return self._shape.has_chunk_files

    def add_chunk(self, number: int, chunk: EncodedChunk, is_json: bool) -> bool:
        """Takes a chunk, in the order of their numbers, and says whether it will be inside the page.

        Raises:
            TooLargeError: The bundle has become too large for certain.
        """
        before = self._shape.least_bytes
        with _in_words(self._path):
            is_inline = self._shape.add_chunk(number, chunk, is_json)
        if not is_json:
            self._numbers += self._shape.least_bytes - before
            self._numbers_raw += chunk.raw_bytes
        if self._max_bytes is not None and self._shape.least_bytes > self._max_bytes:
            raise TooLargeError(self._shape.least_bytes, self._numbers_raw, self._numbers)
        return is_inline

    def write_page(self, pieces: Iterable[bytes], index: Index) -> None:
        """Writes the page, after all chunks.

        Raises:
            TooLargeError: The bundle is too large.
        """
        with _in_words(self._path):
            self._shape.write_page(pieces, index)
            size = bytes_at(self._shape.result)
        if self._max_bytes is not None and size > self._max_bytes:
            raise TooLargeError(size)


def shape_of(output: Path | str) -> Literal[".html", ".zip", ""]:
    """The shape that a name asks for: `.html` (also for `.htm`), `.zip`, or `` for a folder.

    Raises:
        WrongChoiceError: It looks like the name of a file of another kind. A folder of that name is asked for with a slash at its end.
    """
    if str(output).endswith(("/", os.sep)):
        return ""
    ending = Path(output).suffix.lower()
    if ending in (".html", ".htm"):
        return ".html"
    if ending == ".zip":
        return ".zip"
    if _FILE_ENDING.fullmatch(ending) and not Path(output).is_dir():
        raise WrongChoiceError(
            f"{output} ends in {ending}, and a bundle is an .html file, a .zip file or a folder. Choose one of these; a folder may have "
            "this name with a / at its end."
        )
    return ""


def bytes_at(path: Path, generation: int = 0) -> int:
    """The size of a file, or of all files in a folder; of a live folder without what is of another generation."""
    if not path.is_dir():
        return path.stat().st_size
    files = [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files if generation == 0 or generation_of(file.name) in (None, 0, generation))


def check_output(output: Path | str, *, force: bool, live: bool = False) -> None:
    """Makes sure that nothing is at a place that may not be replaced.

    Raises:
        OutputExistsError: As `open_output`.
        WrongChoiceError: See `check_output`.
    """
    if live and shape_of(output) != "":
        raise WrongChoiceError(f"{output} cannot be kept fresh: only a folder can. Give an output that is a folder, such as report/.")
    _check_replaceable(Path(output), shape_of(output), force=force)


@contextmanager
def open_output(output: Path | str, *, force: bool, max_bytes: int | None = None, live: bool = False) -> Iterator[Output]:
    """Opens a bundle for writing, and puts it in place when the block ends without an error.

    Until then it is in a temporary folder beside its place, which is removed in any case.

    Args:
        output: Its place. A name that ends in `.html` means one file, in `.zip` a zip file, everything else a folder.
        force: Replace what is there: a bundle and nothing else.
        max_bytes: The most that the bundle may have; None: as much as it needs.
        live: Whether pages that are open take the new data in place. What they have of the bundle that was there stays, until the next
            time; what was there before that is removed.

    Raises:
        OutputExistsError: Something is there, and `force` is False or it is something else than that.
        WrongChoiceError: The name is that of a file of another kind; or it is to be live, and is no folder.
        OutputNotWritableError: The place cannot be written to.
    """
    path = Path(output)
    check_output(output, force=force, live=live)
    generation = _newest_generation(path) + 1 if live else 0
    with _in_words(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        workplace = tempfile.TemporaryDirectory(dir=path.parent, prefix=".comgra-export-", ignore_cleanup_errors=True)
    with workplace as folder:
        with _in_words(path):
            shape = _make_shape(output, Path(folder), generation)
        try:
            yield Output(path, shape, max_bytes, generation)
        finally:
            with _in_words(path):
                shape.close()
        with _in_words(path):
            if live and path.is_dir():
                _renew(path, shape.result, generation)
            else:
                _put_in_place(shape.result, path, Path(folder))


def _make_shape(output: Path | str, workplace: Path, generation: int) -> Shape:
    asked_for = shape_of(output)
    if asked_for == "":
        if generation:
            return LiveFolderShape(workplace, generation, known_identities(Path(output), generation - 1))
        return FolderShape(workplace)
    return ZipShape(workplace) if asked_for == ".zip" else OneFileShape(workplace)


def _check_replaceable(path: Path, shape: Literal[".html", ".zip", ""], *, force: bool) -> None:
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise OutputExistsError(f"{path} exists already. Pass force=True (--force) to replace it, or choose another name.")
    if shape == "":
        if not path.is_dir():
            raise OutputExistsError(
                f"{path} is a file, and this name asks for a folder. Choose another name, or one that ends in .html or .zip."
            )
        foreign = _foreign_entry(path)
        if foreign is not None:
            raise OutputExistsError(f"{path} is not replaced, since it holds something else than a bundle: {foreign}. Choose another name.")
    elif not path.is_file():
        raise OutputExistsError(f"{path} is not a file, so it is not replaced. Choose another name.")
    elif path.stat().st_size and not (_is_zip_of_ours(path) if shape == ".zip" else _is_page_of_ours(path)):
        raise OutputExistsError(f"{path} is not replaced, since it is something else than a bundle. Choose another name, or remove it.")


def _foreign_entry(folder: Path) -> str | None:
    """Returns the name of something in a folder that is not part of a bundle; None for a bundle and for an empty folder."""
    for entry in sorted(folder.iterdir()):
        if entry.name == DATA_FOLDER and entry.is_dir():
            strange = next((chunk.name for chunk in sorted(entry.iterdir()) if generation_of(chunk.name) is None), None)
            if strange is not None:
                return f"{DATA_FOLDER}/{strange}"
        elif entry.name not in (PAGE, README, NO_JEKYLL) or not entry.is_file():
            return entry.name
        elif entry.name == PAGE and not _is_page_of_ours(entry):
            return f"{PAGE} of another kind"
    has_page = (folder / PAGE).is_file()
    return None if has_page else next((entry.name for entry in sorted(folder.iterdir())), None)


def _is_page_of_ours(page: Path) -> bool:
    with page.open("rb") as stream:
        return _MARK in stream.read(1_000_000)


def _is_zip_of_ours(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(PAGE) as page:
            return _MARK in page.read(1_000_000)
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, NotImplementedError, zlib.error):
        return False


def _put_in_place(result: Path, path: Path, workplace: Path) -> None:
    if not (result.is_dir() and path.exists()):
        os.replace(result, path)
        return
    # A folder cannot replace another one in one step.
    replaced = workplace / "replaced"
    os.rename(path, replaced)
    try:
        os.rename(result, path)
    except OSError:
        os.rename(replaced, path)
        raise


def _newest_generation(path: Path) -> int:
    """The newest generation of a folder; 0 where there is none."""
    data = path / DATA_FOLDER
    return max((generation_of(file.name) or 0 for file in data.iterdir()), default=0) if data.is_dir() else 0


def _renew(path: Path, result: Path, generation: int) -> None:
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


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputNotWritableError(
            f"{path} cannot be written: {error.strerror or error}. Free some space, or choose another place."
        ) from error
