"""`comgra-export import vnittest` and `comgra-export write-vnittest`."""

from __future__ import annotations

import shlex
from pathlib import Path

from comgra_export.cli.build import build_with_progress, show_page
from comgra_export.cli.console import out, printable, progress_bar, warn
from comgra_export.errors import MisuseError, OutputExistsError, OutputNotWritableError
from comgra_export.exporter.output.bundle_output import check_output
from comgra_export.importers.vnittest import import_vnittest, write_vnittest
from comgra_export.storage.text.steps import step_in_words

__all__ = ["run_import", "run_write"]

_REMARKS_SHOWN = 10


def run_import(source: str, recordings: Path, *, group: str, trial: str | None, page: str | None, force: bool) -> None:
    """Make a recording of vnittest's files, and a page of it if asked; say what is in it, and what was left out."""
    if page is not None:
        check_output(page, force=force)
    with progress_bar() as bar:
        bar.add_task("Reading vnittest's files", total=None)
        try:
            done = import_vnittest(source, recordings, group=group, trial=trial, replace=force)
        except MisuseError as error:
            raise OutputExistsError(
                f"The recording cannot be written. {error} Or pass --force, which replaces an earlier import."
            ) from error
        except OSError as error:
            raise OutputNotWritableError(f"The recording cannot be written to {recordings}: {error.strerror}.") from error
    _warn_of(done.gaps)
    _say(f"Wrote {done.folder}: {done.layers} layers")
    for name, count in done.flows:
        _say(f"  {name}: {count:,} {'connection' if count == 1 else 'connections'}")
    if page is None:
        _say(f"Build a page of it: comgra-export build {shlex.quote(str(done.folder))} -o report.html")
    else:
        show_page(build_with_progress(done.folder, page, title=None, description="", force=force), open_page=False)


def run_write(
    recordings: Path, output: Path, *, step: float | None, flow: str | None, sample: int | None, channels: list[str], force: bool
) -> None:
    """Write a gradient flow for vnittest, and say what was chosen."""
    with progress_bar() as bar:
        bar.add_task("Writing vnittest's files", total=None)
        try:
            done = write_vnittest(recordings, output, step=step, flow=flow, sample=sample, channels=channels, force=force)
        except OSError as error:
            raise OutputNotWritableError(f"The files cannot be written to {output}: {error.strerror}.") from error
    _warn_of(done.remarks)
    _say(f"Wrote {output} with {done.layers} layers of {done.flow!r}, {step_in_words(done.step)}")
    _say(f"Open it with: vnittest {shlex.quote(str(output))}/")


def _warn_of(sentences: tuple[str, ...]) -> None:
    for sentence in sentences[:_REMARKS_SHOWN]:
        warn(sentence)
    if len(sentences) > _REMARKS_SHOWN:
        warn(f"and {len(sentences) - _REMARKS_SHOWN} more")


def _say(sentence: str) -> None:
    out.print(printable(sentence), highlight=False, markup=False)
