"""Watching a model with TorchExplorer. Imported only where it is installed."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from torch import nn

from benchmarks.harness.watchers import Watched

__all__ = ["torchexplorer_watcher"]

# It cannot be taken off a model again.
_watched: set[nn.Module] = set()

_NEVER = 1_000_000_000


@contextmanager
def torchexplorer_watcher(model: nn.Module, folder: Path, how: Watched) -> Iterator[Callable[[], object]]:
    """Watch a model with TorchExplorer, with all that it logs of itself; it writes in the training thread.

    "Unrecorded" are the steps after the first one, which it logs in any case.
    """
    if model not in _watched:
        _watched.add(model)
        import_module("torchexplorer").watch(
            model,
            log_freq=_NEVER if how == "unrecorded" else 1,
            backend="standalone" if how == "recorded" else "none",
            standalone_dir=str(folder),
            standalone_port=_free_port(),
            verbose=False,
        )
    yield _nothing


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def _nothing() -> None:
    pass
