"""`comgra-export inspect`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from comgra_export.analysis import RecordingSummary, summarize
from comgra_export.analysis.overview.run_summary import RunSummary, summary_of
from comgra_export.analysis.overview.unusual import Unusual, unusual_of
from comgra_export.analysis.overview.words import build_command, bytes_in_words, paragraph
from comgra_export.cli.console import EXIT_RECORDING, out, print_table, printable, warn
from comgra_export.errors import RecordingError
from comgra_export.reading import is_bundle, read
from comgra_export.reading.unusual import unusual_in
from comgra_export.storage import Recording, Setting, encode_gap, encode_scalar, find_recordings, open_recording
from comgra_export.storage.files.places import Place, bytes_in, place_of
from comgra_export.storage.text.steps import as_step, step_in_words, step_label, steps_in_short
from comgra_export.storage.trials import folders_of_namesakes, trials_of, with_folder

__all__ = ["FORMAT", "VERSION", "run_inspect"]

FORMAT = "comgra-inspection"
VERSION = 1

_MISSING_SHOWN = 5


@dataclass(frozen=True)
class _Inspected:
    """A trial: the ranks of it that can be opened, and what is in them.

    `folder` says where it is if another trial has the same name, and `problems` what cannot be read.
    """

    folder: str
    ranks: tuple[Recording, ...]
    summaries: tuple[RecordingSummary, ...]
    run: RunSummary
    unusual: Unusual
    problems: tuple[str, ...]

    @property
    def bytes(self) -> int:
        return sum(summary.bytes for summary in self.summaries)


def run_inspect(recordings: str | Path, *, list_steps: bool, as_json: bool = False) -> None:
    """Print what is in every recording below a path, or in a bundle; exit with 3 if a part of it cannot be read."""
    if is_bundle(recordings):
        _inspect_bundle(place_of(recordings), list_steps=list_steps, as_json=as_json)
        return
    problems: list[str] = []
    trials = []
    for trial in _inspect(place_of(recordings), problems):
        if as_json:
            trials.append(_as_json(trial))
        else:
            _print_trial(trial, list_steps)
            for problem in trial.problems:
                warn(problem)
        problems += trial.problems
    if as_json:
        # Not through the console, which would wrap it.
        typer.echo(json.dumps({"format": FORMAT, "version": VERSION, "trials": trials, "problems": problems}, allow_nan=False))
    if problems:
        raise typer.Exit(EXIT_RECORDING)


def _inspect(path: Place, problems: list[str]) -> Iterator[_Inspected]:
    """Reads trials one after the other. `problems` gets, at once, what cannot be opened."""
    opened: list[Recording] = []
    for folder in find_recordings(path):
        try:
            opened.append(open_recording(folder))
        except RecordingError as error:
            problems.append(str(error))
            warn(str(error))
    trials = trials_of(opened)
    for trial, where in zip(trials, folders_of_namesakes(trials, path), strict=True):
        ranks = tuple(trial.values())
        summaries = tuple(map(summarize, ranks))
        damaged = tuple(problem for summary in summaries for problem in summary.problems)
        yield _Inspected(where, ranks, summaries, summary_of(ranks), unusual_of(ranks), damaged)


def _inspect_bundle(page: Place, *, list_steps: bool, as_json: bool) -> None:
    """Prints what is in a bundle. Its size is that of all of its trials together."""
    data, size = read(page), page.stat().st_size if isinstance(page, Path) and page.is_file() else bytes_in(page)
    trials = []
    for trial in data.trials.values():
        run, unusual = trial.source.summary, unusual_in(trial.source)
        if as_json:
            trials.append(_run_as_json((trial.group, trial.name, trial.ranks, ""), run, unusual, missing=None, size=size, command=""))
            continue
        out.print(_text(paragraph(f"{trial.group} / {trial.name}", run, unusual, size)))
        out.print(_text(f"In this page: {trial.description}"))
        for sentence in trial.omissions:
            out.print(_text(f"Left out: {sentence}"))
        if list_steps:
            gaps = Counter(gap.step for gap in trial.source.gaps if not gap.whole_step)
            _print_table_of_steps(
                (each.step, each.type, each.batch_size, each.iterations, len(trial.source.layout(each.layout).tensors), gaps[each.step])
                for each in trial.source.steps
            )
        out.print()
    if as_json:
        typer.echo(json.dumps({"format": FORMAT, "version": VERSION, "trials": trials, "problems": list(data.problems)}, allow_nan=False))
    for problem in data.problems:
        warn(problem)


def _as_json(trial: _Inspected) -> dict[str, object]:
    header = trial.ranks[0].header
    return _run_as_json(
        (header.group, header.trial, [rank.header.rank for rank in trial.ranks], trial.folder),
        trial.run,
        trial.unusual,
        missing=sum(len(summary.missing_steps) for summary in trial.summaries),
        size=trial.bytes,
        command=build_command(trial.ranks[0].folder.parent),
    )


def _run_as_json(
    names: tuple[str, str, Sequence[int], str], run: RunSummary, unusual: Unusual, *, missing: int | None, size: int, command: str
) -> dict[str, object]:
    return {
        "group": names[0],
        "trial": names[1],
        "ranks": list(names[2]),
        "folder": names[3],
        **asdict(run),
        "optimizers": [{**asdict(each), "options": _settings(each.options)} for each in run.optimizers],
        "config": _settings(run.config),
        "first_nan": None if unusual.first_nan is None else unusual.first_nan._asdict(),
        "triggered": [step._asdict() for step in unusual.triggered],
        "gaps": [encode_gap(gap) for gap in unusual.gaps],
        "missing_steps": missing,
        "bytes": size,
        "command": command,
    }


def _settings(values: Mapping[str, Setting]) -> dict[str, object]:
    return {name: encode_scalar(value) for name, value in values.items()}


def _print_trial(trial: _Inspected, list_steps: bool) -> None:
    header = trial.ranks[0].header
    out.print(_text(paragraph(with_folder(f"{header.group} / {header.trial}", trial.folder), trial.run, trial.unusual, trial.bytes)))
    out.print(_text(f"Page: {build_command(trial.ranks[0].folder.parent)}"))
    for step in trial.unusual.triggered:
        out.print(_text(f"Triggered {step_in_words(step.step, is_grouped=True)} ({step.type}): {step.reason}."))
    out.print()
    for rank, summary in zip(trial.ranks, trial.summaries, strict=True):
        _print_summary(rank, summary, trial.folder)
        if list_steps:
            _print_steps(rank)


def _print_summary(recording: Recording, summary: RecordingSummary, folder: str) -> None:
    header = recording.header
    rank = f", rank {header.rank} of {header.world_size}" if header.world_size > 1 else ""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    written_by = ", ".join(
        part for part in (header.writer, f"torch {header.torch_version}" if header.torch_version else "", header.started) if part
    )
    rows = {
        "written by": written_by or "unknown",
        "sessions": _sessions(summary),
        "steps": f"{summary.steps:,} ({steps_in_short(summary.numbers)})" if summary.numbers else "none",
        **_steps_that_are_not_there(summary),
        "step types": ", ".join(f"{name}: {count:,}" for name, count in summary.steps_by_type.items()) or "none",
        "recording types": ", ".join(summary.groups) or "none",
        "tensors": f"{summary.tensors:,}, of which {summary.parameters:,} are parameters",
        # Statistics are among them, so they are there without any value of a tensor.
        "numbers": f"{summary.values:,}",
        "size": bytes_in_words(summary.bytes) + (f", {summary.bytes_per_value:.2f} bytes per number" if summary.bytes_per_value else ""),
        "curves, notes": f"{summary.curves:,} curves, {summary.notes:,} notes",
        "gaps": f"{summary.gaps:,}" if summary.gaps else "none",
    }
    for name, value in rows.items():
        table.add_row(name, _text(value))
    print_table(table, with_folder(f"{header.group} / {header.trial}{rank}", folder))


def _sessions(summary: RecordingSummary) -> str:
    state = "ended" if summary.is_closed else "not ended: still being written, or the process was killed"
    return f"{summary.sessions:,}, the last one {state}" if summary.sessions > 1 else f"1, {state}"


def _steps_that_are_not_there(summary: RecordingSummary) -> dict[str, str]:
    """Rows that most recordings do not need."""
    rows = {}
    if summary.triggered:
        rows["triggered"] = f"{summary.triggered:,} of them, recorded for what they showed"
    if summary.missing_steps:
        shown = summary.missing_steps[:_MISSING_SHOWN]
        first = "; ".join(step_label(step, is_grouped=True) + (f": {reason}" if reason else "") for step, reason in shown)
        more = "; ..." if len(summary.missing_steps) > _MISSING_SHOWN else ""
        rows["missing steps"] = f"{len(summary.missing_steps):,} were finished but not written ({first}{more})"
    if summary.left_behind:
        rows["left behind"] = f"{summary.left_behind:,} steps, since the run was resumed from an earlier one"
    return rows


def _print_steps(recording: Recording) -> None:
    rows: list[tuple[object, ...] | float] = []
    for number in recording.steps:
        if not recording.check_step(number):
            rows.append(number)
            continue
        step = recording.step(number)
        tensors = len(recording.layout(step.layout).tensors)
        rows.append((step.step, step.type_of_execution, step.batch_size, len(step.structures), tensors, len(step.gaps)))
    _print_table_of_steps(rows)


def _print_table_of_steps(rows: Iterable[tuple[Any, ...] | float]) -> None:
    """A row per step, with its number first; a number alone is that of a step that cannot be read."""
    table = Table("step", "type", "batch", "iterations", "tensors", "gaps", box=None, pad_edge=False)
    for row in rows:
        if not isinstance(row, tuple):
            table.add_row(str(row), Text("cannot be read", style="red"))
            continue
        cells = (step_label(as_step(row[0])), *row[1:])
        table.add_row(*(_text(str(cell)) for cell in cells))
    print_table(table)


def _text(text: str) -> Text:
    return Text(printable(text))
