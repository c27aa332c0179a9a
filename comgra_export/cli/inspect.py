"""`comgra-export inspect`."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from comgra_export.analysis import RecordingSummary, summarize
from comgra_export.cli.console import EXIT_RECORDING, bytes_in_words, out, printable, warn
from comgra_export.errors import RecordingError
from comgra_export.storage import Recording, find_recordings, open_recording

__all__ = ["run_inspect"]

_MISSING_SHOWN = 5


def run_inspect(recordings: Path, *, list_steps: bool) -> None:
    """Print what is in every recording below a path; exit with 3 where a part of it cannot be read."""
    damaged = False
    for folder in find_recordings(recordings):
        problems = _inspect(folder, list_steps)
        for problem in problems:
            warn(problem)
        damaged = damaged or bool(problems)
    if damaged:
        raise typer.Exit(EXIT_RECORDING)


def _inspect(folder: Path, list_steps: bool) -> tuple[str, ...]:
    """Print what is in one recording, and return what cannot be read of it."""
    try:
        recording = open_recording(folder)
    except RecordingError as error:
        return (str(error),)
    summary = summarize(recording)
    _print_summary(recording, summary)
    if list_steps:
        _print_steps(recording)
    return summary.problems


def _print_summary(recording: Recording, summary: RecordingSummary) -> None:
    header = recording.header
    rank = f", rank {header.rank} of {header.world_size}" if header.world_size > 1 else ""
    table = Table(title=_text(f"{header.group} / {header.trial}{rank}"), title_justify="left", show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    written_by = ", ".join(
        part for part in (header.writer, f"torch {header.torch_version}" if header.torch_version else "", header.started) if part
    )
    rows = {
        "written by": written_by or "unknown",
        "sessions": _sessions(summary),
        "steps": f"{summary.steps:,} ({summary.first_step:,} to {summary.last_step:,})" if summary.steps else "none",
        **_steps_that_are_not_there(summary),
        "step types": ", ".join(f"{name}: {count:,}" for name, count in summary.steps_by_type.items()) or "none",
        "recording types": ", ".join(summary.groups) or "none",
        "tensors": f"{summary.tensors:,}, of which {summary.parameters:,} are parameters",
        "values": f"{summary.values:,}",
        "size": bytes_in_words(summary.bytes) + (f", {summary.bytes_per_value:.2f} bytes per value" if summary.bytes_per_value else ""),
        "curves, notes": f"{summary.curves:,} curves, {summary.notes:,} notes",
        "gaps": f"{summary.gaps:,}" if summary.gaps else "none",
    }
    for name, value in rows.items():
        table.add_row(name, _text(value))
    out.print(table)
    out.print()


def _sessions(summary: RecordingSummary) -> str:
    state = "ended" if summary.is_closed else "not ended: still being written, or the process was killed"
    return f"{summary.sessions:,}, the last one {state}" if summary.sessions > 1 else f"1, {state}"


def _steps_that_are_not_there(summary: RecordingSummary) -> dict[str, str]:
    """Rows that most recordings do not need."""
    rows = {}
    if summary.triggered:
        rows["triggered"] = f"{summary.triggered:,} of them, recorded for what they showed"
    if summary.missing_steps:
        first = "; ".join(f"{step:,}" + (f": {reason}" if reason else "") for step, reason in summary.missing_steps[:_MISSING_SHOWN])
        more = "; ..." if len(summary.missing_steps) > _MISSING_SHOWN else ""
        rows["missing steps"] = f"{len(summary.missing_steps):,} were finished but not written ({first}{more})"
    if summary.left_behind:
        rows["left behind"] = f"{summary.left_behind:,} steps, since the run was resumed from an earlier one"
    return rows


def _print_steps(recording: Recording) -> None:
    table = Table("step", "type", "batch", "iterations", "tensors", "gaps", box=None, pad_edge=False)
    for number in recording.steps:
        if not recording.check_step(number):
            table.add_row(str(number), Text("cannot be read", style="red"))
            continue
        step = recording.step(number)
        tensors = len(recording.layout(step.layout).tensors)
        cells = (step.step, step.type_of_execution, step.batch_size, len(step.structures), tensors, len(step.gaps))
        table.add_row(*(_text(str(cell)) for cell in cells))
    out.print(table)
    out.print()


def _text(text: str) -> Text:
    return Text(printable(text))
