"""The built viewer, as it stands in pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from comgra_export.errors import ExportError
from comgra_export.resources import find_resource

__all__ = ["Viewer", "load_viewer", "read_script"]

# The first ends the element; the second, before a <script in a text, makes the parser overlook the end.
_UNSAFE_IN_SCRIPT = re.compile("</script|<!--", re.IGNORECASE)
_UNSAFE_IN_STYLE = re.compile("</style", re.IGNORECASE)


@dataclass(frozen=True)
class Viewer:
    """The built viewer: ASCII, and nothing in it ends the element that it is put into."""

    script: str
    style: str


def load_viewer() -> Viewer:
    """Reads the built viewer.

    Raises:
        ExportError: It holds something that cannot stand in a page.
        ComgraExportError: It is missing.
    """
    return Viewer(script=read_script("viewer.js"), style=_checked("viewer.css", _UNSAFE_IN_STYLE))


def read_script(name: str) -> str:
    """Reads a built script.

    Raises:
        ExportError: It holds something that cannot stand in a page.
        ComgraExportError: It is missing.
    """
    return _checked(name, _UNSAFE_IN_SCRIPT)


def _checked(name: str, unsafe: re.Pattern[str]) -> str:
    text = find_resource(f"static/dist/{name}").read_text(encoding="utf-8")
    match = unsafe.search(text)
    if match or not text.isascii():
        what = f"{match.group()!r}" if match else "characters that are not ASCII"
        raise ExportError(f"static/dist/{name} holds {what}, which must not be in a page. Build it again: `npm run build` in static/.")
    return text
