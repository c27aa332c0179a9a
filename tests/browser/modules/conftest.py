"""A recording over epochs, and a page with panels of two of its modules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import comgra_export
from comgra_export.storage import Recording, open_recording
from support.browser.histories import record_histories
from support.browser.panels import VIEW, wait_for_panels
from support.browser.viewer import Viewer
from support.once import Once


@pytest.fixture(scope="session")
def recordings(once: Once) -> Path:
    """The folder of the recordings. No test changes it."""
    return Path(once("histories", lambda folder: str(record_histories(folder / "recordings"))))


@pytest.fixture(scope="session")
def recording(recordings: Path) -> Recording:
    return open_recording(recordings / "default" / "trial" / "rank-0")


@pytest.fixture(scope="session")
def page_with_panels(recordings: Path, once: Once) -> Path:
    return Path(once("page_with_panels", lambda folder: str(comgra_export.export(recordings, folder / "histories.html").path)))


@pytest.fixture
def viewer(page_with_panels: Path, open_again: Callable[..., Viewer]) -> Viewer:
    return open_again(page_with_panels, VIEW, ready=wait_for_panels)
