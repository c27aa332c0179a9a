"""Finds bundles below a folder, and reads what a card shows of each from its index. They are not trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from comgra_export.errors import RecordingError
from comgra_export.reading.bundles.files import is_page_folder
from comgra_export.reading.bundles.index import Bundle, open_bundle

__all__ = ["ShownBundle", "find_bundles"]

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_PICTURE_IN_A_FOLDER = "preview"


@dataclass(frozen=True)
class ShownBundle:
    """What the gallery shows of a bundle.

    Attributes:
        path: A page, a zip, or a folder.
        trials: The names of its trials.
        steps: How many steps they have in all.
        problems: How many findings are likely a problem or a bug; None if no rule was checked.
        bytes: Its size.
        picture: What its author put beside it: a picture with its name, or `preview.png` in its folder.
    """

    path: Path
    title: str
    description: str
    trials: tuple[str, ...]
    steps: int
    problems: int | None
    bytes: int
    picture: Path | None


def find_bundles(folder: Path, without: Path) -> tuple[list[ShownBundle], list[str]]:
    """Reads the indexes of all bundles below a folder. Links are not followed.

    Args:
        folder: Where to look.
        without: A folder in it that is left out.

    Returns:
        The bundles, by their paths, and a sentence about each that cannot be read.
    """
    shown, problems = [], []
    for path in _candidates(folder, without.resolve()):
        try:
            shown.append(_shown(path, open_bundle(path)))
        except RecordingError as error:
            # Other pages and zips may lie there too.
            if path.is_dir() or _looks_like_ours(path):
                problems.append(f"{path.relative_to(folder)}: {error}")
    return shown, problems


def _candidates(folder: Path, without: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or entry.name.startswith(".") or entry.resolve() == without:
            continue
        if entry.is_dir():
            if is_page_folder(entry):
                yield entry
            else:
                yield from _candidates(entry, without)
        elif entry.suffix.lower() in (".html", ".zip"):
            yield entry


def _looks_like_ours(path: Path) -> bool:
    with path.open("rb") as stream:
        return b'id="bundle-index"' in stream.read(1_000_000)


def _shown(path: Path, bundle: Bundle) -> ShownBundle:
    index = bundle.index
    problems: dict[str, int] = {}
    for entry, trial in zip(index.objects("trials"), bundle.trials, strict=True):
        # The ranks of a trial have the same findings.
        problems.setdefault(trial.name, entry.integer("problems", -1, default=-1))
    checked = [count for count in problems.values() if count >= 0]
    steps = {trial.name: len(trial.numbers) for trial in bundle.trials}
    return ShownBundle(
        path,
        index.text("title"),
        index.text("description", default=""),
        tuple(problems),
        sum(steps.values()),
        sum(checked) if checked else None,
        _bytes(path),
        _picture(path),
    )


def _bytes(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(os.lstat(file).st_size for file in path.rglob("*") if file.is_file() and not file.is_symlink())


def _picture(path: Path) -> Path | None:
    places = [path.with_suffix(ending) if path.is_file() else path.parent / f"{path.name}{ending}" for ending in _PICTURES]
    if path.is_dir():
        places += [path / f"{_PICTURE_IN_A_FOLDER}{ending}" for ending in _PICTURES]
    return next((place for place in places if place.is_file() and not place.is_symlink()), None)
