"""`comgra-export import comgra`."""

from __future__ import annotations

from pathlib import Path

from comgra_export.cli.importing.results import counted, importing_to, say, show_result, warn_of
from comgra_export.importers.comgra import import_comgra

__all__ = ["run_import_comgra"]


def run_import_comgra(folder: Path, recordings: Path, *, page: str | None, force: bool) -> None:
    """Make recordings of comgra's, and a page of a group if asked; say what is in them, and what was left out."""
    with importing_to(recordings, page, "Reading comgra's files", force=force):
        done = import_comgra(folder, recordings, replace=force)
    warn_of(done.gaps)
    for trial, steps in done.trials:
        say(f"Wrote {trial}: {counted(steps, 'step')}")
    show_result(done.trials[0][0].parent, page, force=force)
