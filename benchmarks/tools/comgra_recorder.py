"""comgra's recorder, so that it fits loops written for ours. Imported only where comgra is installed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from torch import nn

from comgra_export import ComgraRecorder

__all__ = ["comgra_recorder"]


class _Completed:
    """A recorder of comgra with the methods that it lacks."""

    def __init__(self, recorder: Any) -> None:  # noqa: ANN401
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._recorder, name)

    @contextmanager
    def batch(self, *args: Any, **options: Any) -> Iterator[None]:  # noqa: ANN401
        self._recorder.start_batch(*args, **options)
        yield
        self._recorder.finish_batch()

    @contextmanager
    def iteration(self) -> Iterator[None]:
        self._recorder.start_iteration()
        yield
        self._recorder.finish_iteration()

    def flush(self) -> None:
        """Nothing is left to the background."""


def comgra_recorder(root: Path, trial: str, module: nn.Module, recorded_steps: Collection[int], max_samples: int) -> ComgraRecorder:
    """Make a recorder of comgra."""
    root.mkdir(parents=True, exist_ok=True)
    recorder = import_module("comgra.recorder").ComgraRecorder(
        comgra_root_path=root,
        group="benchmark",
        trial_id=trial,
        decision_maker_for_recordings=import_module("comgra.objects").DecisionMakerForRecordingsHardcoded(recorded_steps),
        max_num_batch_size_to_record=max_samples,
    )
    recorder.track_module("network", module)
    return cast(ComgraRecorder, _Completed(recorder))
