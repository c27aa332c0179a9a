"""`comgra-export import checkpoints`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from comgra_export.cli.importing.results import counted, importing_to, say, show_result, warn_of
from comgra_export.importers.checkpoints import import_checkpoints

__all__ = ["run_import_checkpoints"]

_STEPS_SHOWN = 5


def run_import_checkpoints(
    files: Sequence[Path], recordings: Path, *, group: str, trial: str | None, page: str | None, force: bool
) -> None:
    """Make a recording of checkpoints, and a page of it if asked; say which step each is, and what was left out."""
    with importing_to(recordings, page, "Reading checkpoints", force=force) as bar:
        task = bar.task_ids[0]
        done = import_checkpoints(
            files,
            recordings,
            group=group,
            trial=trial,
            replace=force,
            on_step=lambda place, total: bar.update(task, completed=place, total=total),
        )
    warn_of(done.gaps)
    say(f"Wrote {done.folder}: {counted(len(done.steps), 'checkpoint')}, {counted(done.tensors, 'tensor')} in the last")
    for step, name in done.steps[:_STEPS_SHOWN]:
        say(f"  step {step:,}: {name}")
    if len(done.steps) > _STEPS_SHOWN:
        say(f"  and {len(done.steps) - _STEPS_SHOWN:,} more")
    show_result(done.folder, page, force=force)
