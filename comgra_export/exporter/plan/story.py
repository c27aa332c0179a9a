"""The story of a bundle: what somebody says of its views, and the view that it opens with. Read from the user, and checked."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from comgra_export.errors import WrongChoiceError
from comgra_export.exporter.format.constants import (
    MOST_CELL_INDICES,
    MOST_NAME_LETTERS,
    MOST_NOTES,
    MOST_TEXT_LETTERS,
    MOST_TITLE_LETTERS,
    MOST_VIEW_LETTERS,
)
from comgra_export.exporter.format.index import PointedCell, PointedCurve, PointedNode, StoryNote
from comgra_export.storage import clean_text

__all__ = ["read_start", "read_story"]

# A file with all that is allowed is smaller.
_MOST_FILE_BYTES = 20_000_000
_KEYS = ("view", "title", "text", "point")
_POINTS = 'Give {"node": "NAME"}, {"cell": [0, 3]} or {"curve": "NAME", "step": 120}.'
_ADDRESS = re.compile(r"#(v=1(?:&[^\x00-\x20\x7f]*)?)")
# The address of a link within a text, and what stands in front of its `#`: where the page lay when it was copied.
_LINK_WITH_PLACE = re.compile(r"\]\([^()\s#]+#v=1")


def read_story(story: str | os.PathLike[str] | Sequence[Mapping[str, object]] | None) -> list[StoryNote]:
    """Reads the notes of a story, and checks them.

    Args:
        story: The notes, or the path of a JSON file with a list of them; None: no story.

    Returns:
        The notes with all of their keys. Addresses have nothing in front of their `#`: where a page lay stays out of the bundle.

    Raises:
        WrongChoiceError: The file cannot be read, or a note is not understood.
    """
    if story is None:
        return []
    what: str = "The story"
    notes: object = story
    if isinstance(story, (str, os.PathLike)):
        what, notes = f"The story {Path(story).name}", _read_file(Path(story))
    if isinstance(notes, Mapping) or not isinstance(notes, Sequence):
        raise WrongChoiceError(f'{what} is not a list. Give a list of notes such as {{"view": "#v=1&tab=overview", "text": "..."}}.')
    if len(notes) > MOST_NOTES:
        raise WrongChoiceError(f"{what} has {len(notes)} notes, and a story has at most {MOST_NOTES}.")
    return [_read_note(note, f"{what}, note {number}") for number, note in enumerate(notes, start=1)]


def read_start(start: str | None) -> str:
    """Reads the address of the view that a page opens with; empty for None.

    Raises:
        WrongChoiceError: It is not an address of a page.
    """
    return "" if start is None else _view(start, "start")


def _read_file(path: Path) -> object:
    try:
        if path.stat().st_size > _MOST_FILE_BYTES:
            raise WrongChoiceError(f"The story {path.name} is too large: a story has at most {MOST_NOTES} notes.")
        # Some editors put a mark at the beginning of a file.
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, WrongChoiceError):
            raise
        where = f", line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise WrongChoiceError(
            f"The story {str(path)!r} cannot be read ({type(error).__name__}{where}). Give a JSON file with a list of notes."
        ) from error


def _read_note(note: object, what: str) -> StoryNote:
    if not isinstance(note, Mapping):
        raise WrongChoiceError(f'{what}: it is not an object. Write {{"view": "#v=1&tab=overview", "text": "..."}}.')
    unknown = next((key for key in note if key not in _KEYS), None)
    if unknown is not None:
        raise WrongChoiceError(f"{what}: {unknown!r} is not known. A note has {', '.join(_KEYS)}.")
    text = _text(note.get("text"), f"{what}: its text", MOST_TEXT_LETTERS)
    if not text.strip():
        raise WrongChoiceError(f"{what}: its text is empty.")
    return {
        "view": _view(note.get("view"), f"{what}: its view"),
        "title": _text(note.get("title") or "", f"{what}: its title", MOST_TITLE_LETTERS),
        "text": _LINK_WITH_PLACE.sub("](#v=1", text),
        "point": _point(note.get("point"), f"{what}: its point"),
    }


def _text(value: object, what: str, most: int) -> str:
    if not isinstance(value, str):
        raise WrongChoiceError(f"{what} is missing or not a text.")
    if len(value) > most:
        raise WrongChoiceError(f"{what} has {len(value)} characters, and at most {most} are allowed.")
    return clean_text(value)


def _view(value: object, what: str) -> str:
    """An address without what stands in front of its `#`, and without the story that it may hold itself."""
    address = _text(value, what, MOST_VIEW_LETTERS)
    match = _ADDRESS.fullmatch(address, max(0, address.find("#")))
    if match is None:
        raise WrongChoiceError(
            f"{what} is {address[:80]!r}, which is not an address of a page. Copy one in the page with the key c: it has #v=1 in it."
        )
    return "#" + "&".join(part for part in match[1].split("&") if not part.startswith("story="))


def _point(value: object, what: str) -> PointedNode | PointedCell | PointedCurve | None:
    if value is None:
        return None
    keys = sorted(value) if isinstance(value, Mapping) else []
    if isinstance(value, Mapping) and keys == ["node"]:
        return {"node": _text(value["node"], f"{what}: node", MOST_NAME_LETTERS)}
    if isinstance(value, Mapping) and keys == ["curve", "step"]:
        step = value["step"]
        if type(step) in (int, float) and abs(step) < 2**53:
            return {"curve": _text(value["curve"], f"{what}: curve", MOST_NAME_LETTERS), "step": step}
    if isinstance(value, Mapping) and keys == ["cell"]:
        cell = value["cell"]
        if isinstance(cell, list) and len(cell) <= MOST_CELL_INDICES and all(type(place) is int and 0 <= place < 2**53 for place in cell):
            return {"cell": cell}
    raise WrongChoiceError(f"{what} is not understood. {_POINTS}")
