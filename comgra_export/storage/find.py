"""Finding the recordings below a folder."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from comgra_export.errors import NotARecordingError
from comgra_export.storage.files.places import Place, exists, is_file, names_in, place_of
from comgra_export.storage.text.paths import HEADER, STEPS

__all__ = ["find_recordings", "oddities_below"]

# ROOT/GROUP/TRIAL/rank-0, as seen from the folder above the root.
_LEVELS_BELOW = 4
_PAGES = (".html", ".htm")
_RANK = re.compile("rank-([0-9]{1,18})")


def find_recordings(path: str | os.PathLike[str]) -> list[Place]:
    """Finds the rank folders at or below a path.

    Args:
        path: The root given to the recorder, a group, trial or rank folder in it, or the folder above the root; or its address.

    Returns:
        Folders that hold a `recording.json`: at least one, sorted by group, trial and rank.

    Raises:
        NotARecordingError: The path does not exist, is a file, cannot be read, or holds no recording.
    """
    path = place_of(path)
    try:
        if not path.exists():
            raise NotARecordingError(f"{path} does not exist. Give the folder that you gave to watch, or to the recorder.")
        if path.suffix.lower() in _PAGES and path.is_file():
            raise NotARecordingError(f"{path} is already a page. Give the folder of the recording that it was built from.")
        if not path.is_dir():
            raise NotARecordingError(f"{path} is a file. Give the folder of a recording, or one above it.")
        names_in(path)
    except OSError as error:
        raise NotARecordingError(f"{path} cannot be read ({error.strerror}). Check its permissions.") from error
    folders = _below(path, _LEVELS_BELOW)
    if not folders and isinstance(path, Path) and _is_of_comgra(path):
        command = f"comgra-export import comgra {shlex.quote(str(path))}"
        raise NotARecordingError(f"{path} holds files of comgra itself. Import them first: {command}")
    if not folders:
        raise NotARecordingError(
            f"There is no recording in {path}: no {HEADER} in it, nor up to {_LEVELS_BELOW} levels below. "
            "A recording is a folder ROOT/GROUP/TRIAL/rank-0; give any of these levels."
        )
    return sorted(folders, key=_order)


def _below(folder: Place, levels: int) -> list[Place]:
    # A link in place of the header is refused in words when the recording is opened.
    if is_file(folder / HEADER) or (folder / HEADER).is_symlink():
        return [folder]
    if levels == 0:
        return []
    try:
        children = _folders_in(folder)
    except OSError:
        # A folder that cannot be listed is not one of ours: a lost+found beside the groups, say.
        return []
    return [folder for child in children for folder in _below(child, levels - 1)]


def _is_of_comgra(folder: Path) -> bool:
    """Whether a folder is a trial, a group or the root folder of comgra's own recorder."""
    return any(next(folder.glob(f"{above}configurations/*.pkl"), None) is not None for above in ("", "trials/*/", "*/trials/*/"))


def oddities_below(path: str | os.PathLike[str]) -> list[str]:
    """What a person should know of the folders at or below a path, in sentences without the path itself: links, and lost headers.

    A link brings in a recording that lies elsewhere. A rank folder without its header is not read.
    """
    path = place_of(path)
    sentences = []
    for folder in sorted(_all_below(path, _LEVELS_BELOW)):
        name = "/".join(folder.parts[len(path.parts) :])
        if folder.is_symlink() and _below(folder, _LEVELS_BELOW):
            sentences.append(f"{name} is a link, so what is shown of it lies elsewhere.")
        elif _RANK.fullmatch(folder.name) and not exists(folder / HEADER) and (folder / STEPS).is_dir():
            sentences.append(f"{folder.parent.name}/{folder.name} is left out: its {HEADER} is missing.")
    return sentences


def _all_below(folder: Place, levels: int) -> list[Place]:
    """All folders below one, but those behind links and those of recordings."""
    if levels == 0 or exists(folder / HEADER):
        return []
    try:
        children = _folders_in(folder)
    except OSError:
        return []
    return children + [inner for child in children if not child.is_symlink() for inner in _all_below(child, levels - 1)]


def _folders_in(folder: Place) -> list[Place]:
    return [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]


def _order(folder: Place) -> tuple[tuple[str, ...], bool, int, str]:
    rank = _RANK.fullmatch(folder.name)
    # A copy of a rank comes after the ranks.
    return folder.parent.parts, rank is None, -1 if rank is None else int(rank[1]), folder.name
