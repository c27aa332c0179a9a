"""`comgra-export import vnittest` and `comgra-export write-vnittest`."""

from __future__ import annotations

import shlex
from pathlib import Path

from comgra_export.cli.console import progress_bar
from comgra_export.cli.importing.results import importing_to, say, show_result, warn_of
from comgra_export.errors import OutputNotWritableError
from comgra_export.importers.vnittest import import_vnittest, write_vnittest
from comgra_export.storage.text.steps import step_in_words

__all__ = ["run_import", "run_write"]


def run_import(source: str, recordings: Path, *, group: str, trial: str | None, page: str | None, force: bool) -> None:
    """Make a recording of vnittest's files, and a page of it if asked; say what is in it, and what was left out."""
    with importing_to(recordings, page, "Reading vnittest's files", force=force):
        done = import_vnittest(source, recordings, group=group, trial=trial, replace=force)
    warn_of(done.gaps)
    say(f"Wrote {done.folder}: {done.layers} layers")
    for name, count in done.flows:
        say(f"  {name}: {count:,} {'connection' if count == 1 else 'connections'}")
    show_result(done.folder, page, force=force)


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
    warn_of(done.remarks)
    say(f"Wrote {output} with {done.layers} layers of {done.flow!r}, {step_in_words(done.step)}")
    say(f"Open it with: vnittest {shlex.quote(str(output))}/")
