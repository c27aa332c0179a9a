"""What the workers of a test run share: made by the first one that needs it, while the others wait."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

__all__ = ["Once", "once"]


class Once:
    """Makes folders once per test run, whichever of its workers asks first.

    Args:
        root: A folder that the workers share.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def __call__(self, name: str, make: Callable[[Path], Any]) -> Any:  # noqa: ANN401
        """What `make` returned when it was called with the empty folder of this name. It returns what JSON can hold."""
        folder, done = self.folder(name), self._root / f"{name}.json"
        with FileLock(self._root / f"{name}.lock"):
            if not done.exists():
                folder.mkdir()
                done.write_text(json.dumps(make(folder)), encoding="utf-8")
        return json.loads(done.read_text(encoding="utf-8"))

    def folder(self, name: str) -> Path:
        """The folder of this name."""
        return self._root / name


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Once:
    """What this worker shares with the others."""
    base = tmp_path_factory.getbasetemp()
    root = (base if worker_id == "master" else base.parent) / "once"
    root.mkdir(exist_ok=True)
    return Once(root)
