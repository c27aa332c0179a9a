"""Finds the files that come with the package but are not Python: templates, the built viewer, examples."""

from __future__ import annotations

from pathlib import Path

from comgra_export.errors import ComgraExportError

__all__ = ["find_resource"]

_PACKAGE = Path(__file__).resolve().parent


def find_resource(name: str) -> Path:
    """Finds a file or folder that comes with the package.

    In a wheel such files are packed inside the package; in a checkout, and in an editable install of one, they stand beside it.

    Args:
        name: Its path relative to the repository, with forward slashes: `templates`, `static/dist/viewer.js`, `examples/tutorial.py`.

    Returns:
        Its absolute path.

    Raises:
        ComgraExportError: It is in neither place.
    """
    places = [_PACKAGE / "_packed"]
    checkout = _PACKAGE.parent
    # Beside an installed package lie other people's packages: a folder named templates or examples there is not ours.
    if (checkout / "pyproject.toml").is_file():
        places.append(checkout)
    for place in places:
        if (place / name).exists():
            return place / name
    raise ComgraExportError(
        f"{name}, a part of comgra_export, is missing. Install the package again; in a checkout, restore the file "
        "(static/dist is made by `npm run build` in static/)."
    )
