"""`comgra-export import tensorboard`."""

from __future__ import annotations

from pathlib import Path

from comgra_export.cli.importing.results import counted, importing_to, say, show_result
from comgra_export.importers.tensorboard import import_tensorboard

__all__ = ["run_import_tensorboard"]

_TRIALS_SHOWN = 5


def run_import_tensorboard(logdir: Path, recordings: Path, *, group: str, page: str | None, force: bool) -> None:
    """Make recordings of event files, and a page of them if asked; say what is in them."""
    with importing_to(recordings, page, "Reading event files", force=force):
        done = import_tensorboard(logdir, recordings, group=group, replace=force)
    say(f"Wrote {done.folder}: {counted(len(done.trials), 'trial')}")
    for name, curves, points in done.trials[:_TRIALS_SHOWN]:
        say(f"  {name}: {counted(curves, 'curve')}, {counted(points, 'point')}")
    if len(done.trials) > _TRIALS_SHOWN:
        say(f"  and {len(done.trials) - _TRIALS_SHOWN:,} more")
    show_result(done.folder, page, force=force)
