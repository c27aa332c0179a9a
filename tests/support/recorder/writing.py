"""What tests of the writing thread share: an output, and ways to hold it up or make it fail."""

from __future__ import annotations

import errno
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.storage import Blob
from support.places import TESTS
from support.processes import Ended, ReadyProcesses
from support.recorder.finished_steps import arrays_of, finished_step

__all__ = ["GRACE", "Gate", "full_disk", "limit", "raising", "run_script", "threads_of_ours", "write", "write_failing"]

GRACE = 30
"""Seconds that a test waits for what should happen at once, before it fails."""


class Gate:
    """Arrays that become available only when the test releases them."""

    def __init__(self) -> None:
        self.is_reached = threading.Event()
        self.opened = threading.Event()

    def arrays_of(self, number: int) -> Callable[[], list[tuple[str, Blob]]]:
        def arrays() -> list[tuple[str, Blob]]:
            self.is_reached.set()
            assert self.opened.wait(GRACE)
            return arrays_of(number)

        return arrays


def raising(error: BaseException) -> Callable[[], list[tuple[str, Blob]]]:
    def arrays() -> list[tuple[str, Blob]]:
        raise error

    return arrays


def write_failing(output: RecordingOutput, steps: int, failing: set[int], error: BaseException) -> None:
    for number in range(steps):
        output.write_step(finished_step(number, raising(error) if number in failing else None))
    output.flush()


def threads_of_ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "comgra_export writing"]


def write(output: RecordingOutput, *numbers: int, then: Callable[[], object] | None = None, **arguments: Any) -> None:  # noqa: ANN401
    """Hands steps over, and waits until they are written."""
    for number in numbers:
        output.write_step(finished_step(number, **arguments))
    (then or output.flush)()


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", "/home/somebody/private")


@contextmanager
def limit(kind: int, value: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


@pytest.fixture
def run_script(processes: ReadyProcesses, tmp_path: Path) -> Callable[..., Ended]:
    """Runs a script as a user's script runs: its warnings are printed."""
    return lambda script, *arguments: processes.run(script.format(tests=str(TESTS)), tmp_path, *arguments, warnings_are_errors=False)
