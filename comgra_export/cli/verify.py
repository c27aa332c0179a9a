"""`comgra-export verify`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import typer
from rich.text import Text

from comgra_export.cli.console import EXIT_RECORDING, out, printable, progress_bar, warn
from comgra_export.errors import DamagedRecordingError, RecordingError
from comgra_export.reading import is_bundle
from comgra_export.reading.bundles.verifying import verify_bundle
from comgra_export.storage import Recording, find_recordings, open_recording, verify
from comgra_export.storage.files.places import Place, place_of
from comgra_export.storage.trials import folders_of_namesakes, trials_of, with_folder

__all__ = ["FORMAT", "VERSION", "run_verify"]

FORMAT = "comgra-verification"
VERSION = 1

_NUMBER = re.compile("[0-9]+")
_NUMBERS_SHOWN = 5


@dataclass(frozen=True)
class _Verified:
    """What reading a recording or a bundle showed.

    `checksums` says whether all of it has one; None if it cannot be opened. `folder` says where it is if another recording has its name.
    """

    recording: str
    steps: int
    checksums: bool | None
    problems: tuple[str, ...]
    folder: str = ""


def run_verify(recordings: str, *, as_json: bool) -> None:
    """Read everything in every recording below a path, or in a bundle; exit with 3 if a part of it is damaged."""
    is_page = is_bundle(recordings)
    results = [_verified_bundle(place_of(recordings))] if is_page else _verified(place_of(recordings))
    if as_json:
        # Not through the console, which would wrap it.
        typer.echo(json.dumps({"format": FORMAT, "version": VERSION, "recordings": [asdict(result) for result in results]}))
    else:
        for result in results:
            _print(result)
    if any(result.problems for result in results):
        raise typer.Exit(EXIT_RECORDING)


def _verified(path: Place) -> list[_Verified]:
    """Verifies every recording below a path. Those that cannot be opened come first."""
    opened: list[Recording] = []
    results = []
    for folder in find_recordings(path):
        try:
            opened.append(open_recording(folder))
        except RecordingError as error:
            results.append(_Verified(str(folder), 0, None, (str(error),)))
    trials = trials_of(opened)
    for trial, where in zip(trials, folders_of_namesakes(trials, path), strict=True):
        results += [_Verified(each.name, len(each.steps), each.header.checksums, _problems(each), where) for each in trial.values()]
    return results


def _verified_bundle(path: Place) -> _Verified:
    try:
        with progress_bar() as bar:
            task = bar.add_task(f"Reading {printable(path.name)}", total=None)
            verified = verify_bundle(path, lambda total: bar.update(task, total=total, advance=1))
    except DamagedRecordingError as error:
        return _Verified(path.name, 0, None, (str(error),))
    return _Verified(verified.name, verified.steps, verified.has_index_checksum, verified.problems)


def _problems(recording: Recording) -> tuple[str, ...]:
    with progress_bar() as bar:
        task = bar.add_task(f"Reading {printable(recording.name)}", total=len(recording.steps) + len(recording.left_behind))
        return verify(recording, lambda: bar.advance(task))


def _print(result: _Verified) -> None:
    for problem in _by_kind(result.problems):
        warn(f"In {result.folder}: {problem}" if result.folder else problem)
    if result.problems:
        return
    compared = "as it was written." if result.checksums else "readable. Not all of it has checksums, so some changes go unnoticed."
    out.print(Text(printable(f"{with_folder(result.recording, result.folder)}: {result.steps:,} steps, and all of it is {compared}")))


def _by_kind(problems: Sequence[str]) -> list[str]:
    """A sentence for each kind of damage: problems that differ in numbers alone, such as those of chunks or steps, are one kind."""
    kinds: dict[str, list[str]] = {}
    for problem in dict.fromkeys(problems):
        kinds.setdefault(_NUMBER.sub("0", problem), []).append(problem)
    return [first + _others(first, others) for first, *others in kinds.values()]


def _others(first: str, others: Sequence[str]) -> str:
    """How many problems are like a first one, and where they are: the first number that is not the same in all of them."""
    if not others:
        return ""
    columns = zip(*(_NUMBER.findall(problem) for problem in (first, *others)), strict=True)
    own, *numbers = next(column for column in columns if len(set(column)) > 1)
    listed = ", ".join(numbers[:_NUMBERS_SHOWN]) + (", ..." if len(numbers) > _NUMBERS_SHOWN else "")
    return f" {len(others):,} more {'is' if len(others) == 1 else 'are'} like this, with {listed} in place of {own}."
