"""How large a bundle may be: a size in words, or the place where it is to go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from comgra_export.errors import WrongChoiceError
from comgra_export.exporter.output.bundle_output import shape_of

__all__ = ["Target", "make_target"]

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*")


@dataclass(frozen=True)
class Preset:
    """A place where bundles go.

    Attributes:
        bytes: What a bundle may have there.
        ending: Ends the output's name if none is given.
        shapes: The shapes that are possible there: `.html`, `.zip` or `` for a folder.
        reason: Why the others are not.
    """

    bytes: int
    ending: str
    shapes: tuple[str, ...]
    reason: str


PRESETS = {
    "issue": Preset(24_000_000, ".html", (".html", ".zip"), "an issue takes a file, not a folder"),
    "mail": Preset(18_000_000, ".html", (".html",), "mail services refuse script files, also inside zip files"),
    "pages": Preset(900_000_000, "", ("",), "a site is published from a folder, whose files stay below the limit for one file"),
}


@dataclass(frozen=True)
class Target:
    """The place a bundle is written to, and the most bytes that it may have; None: as many as it needs."""

    output: Path | str
    max_bytes: int | None


def make_target(output: Path | str | None, group: str, max_size: int | str | None, preset: str | None) -> Target:
    """Reads what a user wrote.

    Raises:
        WrongChoiceError: A size or a preset is not understood, or the preset's place does not take the output's shape.
    """
    limits = [] if max_size is None else [_bytes_of(max_size)]
    if preset is None:
        return Target(f"{group}.html" if output is None else output, min(limits, default=None))
    place = PRESETS.get(preset)
    if place is None:
        raise WrongChoiceError(f"There is no preset {preset!r}. There are: {', '.join(PRESETS)}.")
    if output is None:
        output = f"{group}{place.ending}" if place.ending else f"{group}/"
    shape = shape_of(output)
    if shape not in place.shapes:
        wanted = " or ".join(f"a name that ends in {ending}" if ending else "a folder's name" for ending in place.shapes)
        raise WrongChoiceError(f"{output} does not suit the preset {preset!r}: {place.reason}. Give {wanted}.")
    return Target(output, min(*limits, place.bytes) if limits else place.bytes)


def _bytes_of(size: int | str) -> int:
    match = _SIZE.fullmatch(str(size))
    unit = None if match is None else _UNITS.get(match[2].lower())
    if match is None or unit is None or float(match[1]) * unit < 1:
        raise WrongChoiceError(f"max_size={size!r} is not understood. Give a number of bytes, or a size such as 25MB, 500 kB or 1.5GB.")
    return int(float(match[1]) * unit)
