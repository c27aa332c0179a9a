"""Write a bundle to its place: in the shape that its name asks for, whole or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal

from comgra_export.errors import OutputNotWritableError, WrongChoiceError
from comgra_export.exporter.format.chunks import EncodedChunk
from comgra_export.exporter.format.index import Index
from comgra_export.exporter.output.live_folder import LiveFolderShape, known_identities
from comgra_export.exporter.output.page import InlineChunk
from comgra_export.exporter.output.replacing import bytes_at, check_replaceable, newest_generation, put_in_place, renew_live_folder
from comgra_export.exporter.output.shapes import FolderShape, OneFileShape, Shape, ZipShape
from comgra_export.exporter.output.uploading import uploaded_to
from comgra_export.exporter.output.workplace import make_workplace, remove_leftovers
from comgra_export.exporter.reporting.too_large import TooLargeError
from comgra_export.storage.files.places import Place, place_of
from comgra_export.storage.text.names import is_possible_path

__all__ = ["Output", "check_output", "open_output", "shape_of"]

_FULL = (errno.ENOSPC, errno.EDQUOT)
# Not the numbers and versions that names of runs end in: `lr0.01`, `report.v2`.
_FILE_ENDING = re.compile("[.][a-z]{2,5}")


class Output:
    """A bundle being written. An `OSError` of the place that it is written to becomes an `OutputNotWritableError`.

    `generation` says which build of a live folder it is; 0 if it is none.
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
    def inline_lengths(self) -> list[int]:
        """How long the base64 of each chunk inside the page is."""
        return self._shape.inline_chunks.lengths

    @property
    def identities(self) -> list[int]:
        """What tells the chunks so far apart; empty if no open page compares them with others."""
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
            f"{output} ends in {ending}, but a bundle is an .html file, a .zip file or a folder. Choose one of these. For a folder of "
            "this name, put a / at the end."
        )
    return ""


def check_output(output: Path | str, *, force: bool, live: bool = False) -> None:
    """Makes sure that nothing is at a place that may not be replaced. Raises what `open_output` raises for that."""
    place = place_of(output)
    if live and not isinstance(place, Path):
        raise WrongChoiceError(f"{output} cannot be kept fresh: only a folder on this machine can.")
    if live and shape_of(output) != "":
        raise WrongChoiceError(f"{output} cannot be kept fresh: only a folder can. Give an output that is a folder, such as report/.")
    if not is_possible_path(str(place)):
        raise OutputNotWritableError(
            f"{str(place)!r} cannot be written: it has a character that file names cannot have. Choose another name."
        )
    with _in_words(place):
        check_replaceable(place, shape_of(output), force=force)


@contextmanager
def open_output(output: Path | str, *, force: bool, max_bytes: int | None = None, live: bool = False) -> Iterator[Output]:
    """Opens a bundle for writing, and puts it in place when the block ends without an error.

    Until then it is in a temporary folder beside its place, which is removed in any case. What a killed process has left of such a
    folder is removed too.

    Args:
        output: Its place. A name that ends in `.html` means one file, in `.zip` a zip file, everything else a folder. A bundle at an
            address is written on this machine first, and then uploaded.
        force: Replace what is there: a bundle and nothing else.
        max_bytes: The most that the bundle may have; None: as much as it needs.
        live: Whether pages that are open take the new data in place. What they have of the bundle that was there stays, until the next
            time; what was there before that is removed.

    Raises:
        OutputExistsError: Something is there, and `force` is False or it is something other than that.
        WrongChoiceError: The name is that of a file of another kind; or it is to be live, and is no folder.
        OutputNotWritableError: The place cannot be written to.
    """
    check_output(output, force=force, live=live)
    place = place_of(output)
    if not isinstance(place, Path):
        with _in_words(place), uploaded_to(place) as result:
            slash = "" if shape_of(output) else os.sep
            with open_output(f"{result}{slash}", force=False, max_bytes=max_bytes) as opened:
                yield opened
        return
    path = place
    remove_leftovers(path.parent)
    # If a killed build has left its place empty, there may be a bundle now.
    check_output(output, force=force, live=live)
    generation = newest_generation(path) + 1 if live else 0
    with ExitStack() as stack:
        with _in_words(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(make_workplace(path.parent))
            shape = _make_shape(output, folder, generation)
        try:
            yield Output(path, shape, max_bytes, generation)
        finally:
            with _in_words(path):
                shape.close()
        with _in_words(path):
            # Another build may have been faster.
            check_replaceable(path, shape_of(output), force=force)
            if live and path.is_dir():
                renew_live_folder(path, shape.result, generation)
            else:
                put_in_place(shape.result, path, folder)


def _make_shape(output: Path | str, workplace: Path, generation: int) -> Shape:
    asked_for = shape_of(output)
    if asked_for == "":
        if generation:
            return LiveFolderShape(workplace, generation, known_identities(Path(output), generation - 1))
        return FolderShape(workplace)
    return ZipShape(workplace) if asked_for == ".zip" else OneFileShape(workplace)


@contextmanager
def _in_words(path: Place) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        advice = "Free some space, or choose another place" if error.errno in _FULL else "Choose another place"
        raise OutputNotWritableError(f"{path} cannot be written: {error.strerror or error}. {advice}.") from error
