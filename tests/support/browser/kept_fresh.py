"""A folder that `comgra-export build --watch` keeps fresh."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.browser.editable import record_inputs
from support.cli.run import COMMAND, started

__all__ = ["kept_fresh"]


@contextmanager
def kept_fresh(folder: Path) -> Iterator[Path]:
    """Record inputs in `recordings`, and give the page of the bundle, which a process builds again as long as the block lasts."""
    group = record_inputs(folder / "recordings")
    command = [COMMAND, "build", str(group), "-o", str(folder / "report"), "--watch"]
    process = started(command)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("Watching"):
                break
        yield folder / "report" / "index.html"
    finally:
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=120)[0]
    assert process.returncode == 0
    assert rest.endswith("Stopped watching.\n")
