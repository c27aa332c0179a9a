"""How a run went, in a short paragraph."""

from __future__ import annotations

import os
import shlex

from comgra_export.analysis.overview.run_summary import RunSummary
from comgra_export.analysis.overview.unusual import Unusual
from comgra_export.storage.text.steps import step_in_words

__all__ = ["build_command", "bytes_in_words", "paragraph"]

_LONGEST_REASON = 200
_FORWARD = "forward"


def paragraph(name: str, run: RunSummary, unusual: Unusual | None, size: int) -> str:
    """Says in one line what was recorded of a run, how it ended, and what was unusual.

    Args:
        name: What the line calls it.
        run: What is known of the run.
        unusual: What was unusual; None if that was not read, which the line then leaves out.
        size: Bytes of the recording.
    """
    sentences = [f"{name}: {_what_was_made(run)} ({bytes_in_words(size)}).", _ENDINGS[run.ending]]
    if run.ending == "exception":
        sentences[1] = f"It ended {_place_of_error(run)} with {run.error}."
    if unusual is not None:
        sentences += _unusual(unusual)
    return " ".join(sentences)


def build_command(trial: str | os.PathLike[str]) -> str:
    """The command that builds the page of a trial."""
    return f"comgra-export build {shlex.quote(os.fspath(trial))} -o report.html"


def bytes_in_words(count: int) -> str:
    """Return a size in decimal units: `340 B`, `12.3 kB`, `4.0 MB`."""
    if count < 1000:
        return f"{count} B"
    size = float(count)
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000 or unit == "GB":
            break
    return f"{size:.1f} {unit}"


_ENDINGS = {
    "finished": "It finished.",
    "running": "It is still running.",
    "killed": "It was killed, or ended without finalize().",
    "": "How it ended is not known.",
    "exception": "",
}


def _place_of_error(run: RunSummary) -> str:
    if run.error_step is None:
        return "before the first step"
    return f"{'after' if run.between_steps else 'in'} {step_in_words(run.error_step, is_grouped=True)}"


def _what_was_made(run: RunSummary) -> str:
    duration = "" if run.seconds is None else f" in {_duration(run.seconds)}"
    if run.trained is None:
        # Nobody counted the steps of a process that was killed.
        least = ""
        if run.last is not None and run.ending in ("killed", "running"):
            least = f"trained at least up to {step_in_words(run.last, is_grouped=True)}, "
        return f"{least}recorded {_count(run.recorded, 'step')}{duration}"
    return f"trained {_count(run.trained, 'step')}{duration}, recorded {_count(run.recorded, 'step')}"


def _unusual(unusual: Unusual) -> list[str]:
    sentences = []
    if unusual.first_nan is not None:
        step, group, tensor = unusual.first_nan
        where = tensor if group == _FORWARD else f"the gradient of {tensor}"
        sentences.append(f"The first NaN is in {step_in_words(step, is_grouped=True)}: {where}.")
    if unusual.triggered:
        triggered = unusual.triggered[0]
        which = ", the first is" if len(unusual.triggered) > 1 else ","
        count = _count(len(unusual.triggered), "triggered step")
        sentences.append(f"{count}{which} {step_in_words(triggered.step, is_grouped=True)}: {_in_short(triggered.reason)}.")
    if unusual.gaps:
        first = ", the first" if len(unusual.gaps) > 1 else ""
        sentences.append(f"{_count(len(unusual.gaps), 'gap')}{first}: {_in_short(unusual.gaps[0].reason)}.")
    return sentences


def _in_short(reason: str) -> str:
    """A reason in one line, without its full stop."""
    line = " ".join(reason.split()).removesuffix(".")
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}..."


def _duration(seconds: float) -> str:
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours = round(seconds / 3600)
    if hours < 48:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{hours // 24} d {hours % 24} h"


def _count(number: float, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
