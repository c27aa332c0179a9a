"""`comgra-export demo`: the tutorial network, trained, recorded and exported."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from comgra_export.cli.build import build_with_progress
from comgra_export.cli.console import has_screen, open_in_browser, out, progress_bar
from comgra_export.errors import ComgraExportError, OutputExistsError
from comgra_export.resources import find_resource
from comgra_export.storage import find_recordings

__all__ = ["run_demo"]

_GROUP = "tutorial"
_DESCRIPTION = (
    "A recurrent network sums five sequences and says which sums are positive. It was trained twice; "
    "in one of the two runs it has a bug that costs it much of its performance. Can you find it?"
)

_Run = Callable[..., Path]


def run_demo(output: Path, recordings: Path, *, steps: int | None, force: bool, open_page: bool | None) -> None:
    """Train both variants, build the bundle, and open it unless told otherwise."""
    if not force and output.exists():
        raise OutputExistsError(f"{output} exists already. Pass --force to replace it, or choose another --output.")
    run = _tutorial()
    _make_room(recordings / _GROUP, force=force)
    with progress_bar() as bar:
        task = bar.add_task("Training", total=None)

        def show(done: int, total: int, stage: str) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        out.print("Training the tutorial network in two variants ...")
        group = run(recordings, group=_GROUP, progress=show, **({} if steps is None else {"steps": steps}))
    bundle = build_with_progress(group, output, title="Tutorial: a network with a subtle bug", description=_DESCRIPTION, force=force)
    page = bundle.path / "index.html" if bundle.path.is_dir() else bundle.path
    if (has_screen() if open_page is None else open_page) and page.suffix == ".html":
        open_in_browser(page)
    else:
        out.print(f"Open it in a browser: {page.resolve()}", highlight=False, markup=False)


def _tutorial() -> _Run:
    """Load the tutorial's `run` from the examples that came with the package."""
    if importlib.util.find_spec("torch") is None:
        raise ComgraExportError(
            "The demo trains a network, and torch is not installed. Install it with: pip install 'comgra-export[recorder]'"
        )
    spec = importlib.util.spec_from_file_location("comgra_export_tutorial", find_resource("examples/tutorial.py"))
    if spec is None or spec.loader is None:
        raise ComgraExportError("examples/tutorial.py cannot be loaded. Install the package again.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast(_Run, module.run)


def _make_room(group: Path, *, force: bool) -> None:
    """Remove the recordings of an earlier demo, if that was asked for and the folder holds nothing but recordings."""
    if not group.exists():
        return
    if not force:
        raise OutputExistsError(
            f"{group} holds the recordings of an earlier demo. Pass --force to replace them, or choose another --recordings."
        )
    trials = {folder.parent for folder in find_recordings(group)}
    foreign = [entry.name for entry in group.iterdir() if entry not in trials]
    if foreign:
        raise OutputExistsError(f"{group} holds something that is not a recording ({foreign[0]}). Choose another --recordings.")
    shutil.rmtree(group)
