"""The progress of recording a gradient flow."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["FlowProgress", "ShowProgress"]

ShowProgress = bool | Callable[[int, int], object]
"""Whether there is a progress bar; or a function to call instead, with the number of computed products and that of all products."""

_PATIENCE_SECONDS = 1.0


class FlowProgress:
    """Shows how many products are computed. After a second, a bar on the standard error does so if that is a terminal."""

    def __init__(self, name: str, show: ShowProgress, total: int) -> None:
        self._name = name
        self._show = show
        self._total = total
        self._done = 0
        self._start = time.monotonic()
        self._console = Console(stderr=True)
        self._bar: Progress | None = None

    def __enter__(self) -> FlowProgress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, products: int) -> None:
        """Notes products that have been computed."""
        self._done += products
        if callable(self._show):
            self._show(self._done, self._total)
        elif self._show and self._console.is_terminal and time.monotonic() - self._start >= _PATIENCE_SECONDS:
            if self._bar is None:
                self._bar = self._make_bar()
            self._bar.update(self._bar.task_ids[0], completed=self._done, refresh=True)

    def _make_bar(self) -> Progress:
        # It redirects nothing of the script's output, and no thread refreshes it.
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        bar.add_task(f"Recording {self._name!r}", total=self._total)
        bar.start()
        return bar
