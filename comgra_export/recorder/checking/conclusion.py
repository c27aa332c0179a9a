"""What a recorder says on the terminal at the end: where the recording is, how the run went, and what looks wrong in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.history.run import read_run
from comgra_export.analysis.overview.run_summary import summary_of
from comgra_export.analysis.overview.unusual import unusual_of
from comgra_export.analysis.overview.words import build_command, paragraph
from comgra_export.recorder.checking.checker import rules_and_mutes
from comgra_export.recorder.checking.wording import in_a_line
from comgra_export.storage import Recording, iterate_records, open_recording
from comgra_export.storage.text.paths import CURVES, SENTINELS

__all__ = ["MOST_BYTES_OF_LINES", "MOST_RECORDS", "conclusion"]

MOST_RECORDS = 10_000
"""How many records of all steps together are read, at most: about half a second on one core. A longer recording is not checked."""

MOST_BYTES_OF_LINES = 500_000
"""How large curves and the checks of steps may be together. They have a line for each step of the run, recorded or not."""

_MOST_FINDINGS = 3


def conclusion(folder: Path) -> list[str]:
    """Lines that say where a recording is and how the run went, the first three findings, and how to see all.

    Args:
        folder: The rank folder. Other ranks may still be written, so only this one is read.
    """
    recording = open_recording(folder)
    trial = folder.parent
    with suppress(ValueError, OSError):
        trial = trial.relative_to(Path.cwd())
    is_short = False
    with suppress(Exception):
        is_short = _is_short(recording)
    unusual = unusual_of([recording]) if is_short else None
    lines = [paragraph(str(trial), summary_of([recording]), unusual, recording.bytes_on_disk()), f"Page: {build_command(trial)}"]
    # Whatever rules do, the rest is printed.
    with suppress(Exception):
        if is_short:
            lines += [f"  {line}" for line in _worst(recording)]
    return [_printable(line) for line in (*lines, f"All findings: comgra-export findings {shlex.quote(str(trial))}")]


def _worst(recording: Recording) -> Iterator[str]:
    rules, mutes, _ = rules_and_mutes()
    report = find(read_run([recording]), rules, mutes)
    by_name = {rule.name: rule for rule in rules}
    causes = [incident.cause for incident in report.incidents if incident.cause.severity > Severity.INFORMATION]
    for cause in causes[:_MOST_FINDINGS]:
        yield in_a_line(by_name[cause.rule], cause)
    if not causes:
        yield "Nothing new was found." if report.muted else "Nothing was found."


def _is_short(recording: Recording) -> bool:
    if not recording.steps or sum(_size_of(Path(recording.folder) / name) for name in (CURVES, SENTINELS)) > MOST_BYTES_OF_LINES:
        return False
    counts: dict[str, int] = {}
    records = 0
    for number in recording.steps:
        layout = recording.step(number).layout
        if layout not in counts:
            counts[layout] = sum(1 for _ in iterate_records(recording.layout(layout)))
        # A step without records takes time, too.
        records += max(counts[layout], 1)
        if records > MOST_RECORDS:
            return False
    return True


def _size_of(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _printable(text: str) -> str:
    """A text without power over the terminal."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
