"""Which parts of the viewer's script pages run, by the profiler of Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import CDPSession, Page

from comgra_export.resources import find_resource

__all__ = ["ViewerCoverage", "viewer_coverage"]


class ViewerCoverage:
    """Collects from all pages that a worker opens. What a page ran before it was left for another one is lost."""

    def __init__(self) -> None:
        self._length = find_resource("static/dist/viewer.js").stat().st_size
        self._run = np.zeros(self._length, np.bool_)
        self._watched: list[tuple[Page, CDPSession]] = []

    def watch(self, page: Page) -> None:
        """Begins with a page that is still empty."""
        session = page.context.new_cdp_session(page)
        session.send("Profiler.enable")
        session.send("Profiler.startPreciseCoverage", {"callCount": False, "detailed": True})
        self._watched.append((page, session))

    def collect(self) -> None:
        """Asks the pages that are still open, and forgets all."""
        for page, session in self._watched:
            if not page.is_closed():
                for script in session.send("Profiler.takePreciseCoverage")["result"]:
                    self._add(script)
        self._watched.clear()

    def write(self, file: Path) -> None:
        """Writes a byte for each character of the script, 1 if it was run."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self._run.tobytes())

    def _add(self, script: dict[str, Any]) -> None:
        # The script stands in the page without a name, and nothing else there is as long.
        ranges = [part for function in script["functions"] for part in function["ranges"]]
        if max(part["endOffset"] for part in ranges) != self._length:
            return
        run = np.zeros(self._length, np.bool_)
        # From the outside to the inside: the smallest range around a character holds for it.
        for part in sorted(ranges, key=lambda part: (part["startOffset"], -part["endOffset"])):
            run[part["startOffset"] : part["endOffset"]] = part["count"] > 0
        self._run |= run


@pytest.fixture(scope="session")
def viewer_coverage(pytestconfig: pytest.Config, worker_id: str) -> Iterator[ViewerCoverage | None]:
    """With `--viewer-coverage FOLDER`, collects for a file of this worker in the folder. None without."""
    folder = pytestconfig.getoption("viewer_coverage")
    coverage = None if folder is None else ViewerCoverage()
    yield coverage
    if coverage is not None:
        coverage.write(Path(folder) / f"{worker_id}.run")
