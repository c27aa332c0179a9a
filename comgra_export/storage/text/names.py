"""Names that become folders, and text that becomes UTF-8."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from comgra_export.errors import MisuseError

__all__ = [
    "check_folder_name",
    "clean_text",
    "folder_of_name",
    "is_possible_path",
    "name_of_folder",
    "names_instead",
    "rule_broken_by",
    "shown",
]

MAX_FOLDER_NAME_BYTES = 200
_MAX_SHOWN = 100
# So many names are listed if none is like the one that is not there.
_NAMES_SHOWN = 8

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Replaces what is not valid Unicode (lone surrogates) by U+FFFD, so that the text can be written as UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def is_possible_path(path: str) -> bool:
    """Whether a file can have this path: it has no NUL, and no lone surrogate but those by which Python shows bytes that are not UTF-8."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def shown(value: object) -> str:
    """Names a wrong argument in a message: a tensor or an array by type and shape, anything else by its `repr`, cut if it is long."""
    shape = getattr(value, "shape", None)
    if shape is not None and not isinstance(value, type):
        dimensions = list(shape) if isinstance(shape, Iterable) else shape
        return f"a {type(value).__name__} of the shape {dimensions}"
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."


def names_instead(name: str, names: Sequence[str]) -> str | None:
    """A sentence about a name that is not there: names that are like it or contain it, or else those that there are; None without names."""
    near = get_close_matches(name, names, n=3, cutoff=0.5) or _containing(name, names)[:3]
    if near:
        return f"Did you mean {' or '.join(map(repr, near))}?"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"There are {', '.join(map(repr, names[:_NAMES_SHOWN]))}{more}." if names else None


def _containing(name: str, names: Sequence[str]) -> list[str]:
    """The names that contain one, those that begin with it first."""
    return sorted((each for each in names if name and name in each), key=lambda each: not each.startswith(name))


def folder_of_name(name: str) -> str:
    """The name of the folder of a group or a trial: its own name, unless that contains `/` or `%2`.

    Then each `/` is written as `%2F`, and each `%` as `%25`. So no two names share a folder.
    """
    return name.replace("%", "%25").replace("/", "%2F") if "/" in name or "%2" in name else name


def name_of_folder(folder: str) -> str:
    """The name of the group or trial that a folder is of, as `folder_of_name` made it."""
    return folder.replace("%2F", "/").replace("%25", "%") if "%2" in folder else folder


def check_folder_name(kind: str, name: str) -> str:
    """Checks a name that the user gives and that becomes a folder, and returns it. `kind` is what messages call it, such as `group`.

    Raises:
        MisuseError: It is not a string or breaks a rule of the recording format; the message says which.
    """
    if not isinstance(name, str):
        raise MisuseError(f"The name of the {kind} is {shown(name)}, which is not a string. Give a string.")
    rule = rule_broken_by(name)
    if rule is not None:
        raise MisuseError(f"The name of the {kind}, {_shortened(name)}, becomes a folder name and {rule}. Choose another one.")
    return name


def rule_broken_by(name: str) -> str | None:
    """Says which rule for folder names a name breaks, as the rest of a sentence; None if it breaks none."""
    if not name:
        return "must not be empty"
    if _SURROGATE.search(name):
        return "must be valid Unicode"
    if len(folder_of_name(name).encode()) > MAX_FOLDER_NAME_BYTES:
        return f"must not be longer than {MAX_FOLDER_NAME_BYTES} bytes of UTF-8"
    if "\\" in name:
        return "must not contain \\"
    if any(unicodedata.category(character) == "Cc" for character in name):
        return "must not contain control characters"
    if name.startswith("/"):
        return "must not begin with /"
    if name.startswith("."):
        return "must not begin with a dot"
    if name.endswith((" ", ".")):
        return "must not end with a space or a dot"
    return None


def _shortened(name: str) -> str:
    return ascii(name if len(name) <= 60 else name[:60] + "...")
