"""Watching a model with our recorder. (With TorchExplorer: `torchexplorer_watcher`.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal, Protocol

from torch import nn

from comgra_export import DecisionMakerForRecordingsHardcoded, watch

__all__ = ["Watched", "Watcher", "our_watcher"]

Watched = Literal["unrecorded", "recorded", "recorded in memory"]
"""Whether the steps are recorded. Ours does not keep a recording in memory alone."""

_MANY = 1_000_000


class Watcher(Protocol):
    """Watches a model within a `with`, whose value waits until what was recorded is on disk."""

    def __call__(self, model: nn.Module, folder: Path, how: Watched) -> AbstractContextManager[Callable[[], object]]: ...


@contextmanager
def our_watcher(model: nn.Module, folder: Path, how: Watched) -> Iterator[Callable[[], object]]:
    """Watch a model with comgra_export. Afterwards, nothing of it is left on the model or in PyTorch."""
    steps = range(_MANY if how == "recorded" else 0)
    decide = DecisionMakerForRecordingsHardcoded(steps)
    with watch(model, folder, decision_maker_for_recordings=decide, existing_trial="rename") as recorder:
        yield recorder.flush
