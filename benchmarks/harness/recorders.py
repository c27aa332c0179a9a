"""The recorders that are compared: ours, and none. (comgra's is in `comgra_recorder`.)"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol, cast

from torch import nn

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded

__all__ = ["RecorderMaker", "no_recorder", "our_recorder"]


class RecorderMaker(Protocol):
    """Makes a recorder that records the steps named, with one tracked module."""

    def __call__(self, root: Path, trial: str, module: nn.Module, recorded_steps: Collection[int], max_samples: int) -> ComgraRecorder: ...


def our_recorder(
    root: Path, trial: str, module: nn.Module, recorded_steps: Collection[int], max_samples: int, *, sentinels: bool = False
) -> ComgraRecorder:
    """Make a recorder of comgra_export."""
    recorder = ComgraRecorder(
        comgra_root_path=root,
        group="benchmark",
        trial_id=trial,
        decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(recorded_steps),
        max_num_batch_size_to_record=max_samples,
        sentinels=sentinels,
    )
    recorder.track_module("network", module)
    return recorder


class _NoRecorder:
    """Stands where a training loop expects a recorder, and does nothing."""

    def iteration(self) -> AbstractContextManager[None]:
        return nullcontext()

    def batch(self, *_args: object, **_options: object) -> AbstractContextManager[None]:
        return nullcontext()

    def recording_is_active(self) -> bool:
        return False

    def register_tensor(self, *_args: object, **_options: object) -> None:
        pass

    add_tensor_connection = record_current_gradients = flush = register_tensor


def no_recorder() -> ComgraRecorder:
    """Return what a network can be trained with as if its loop held no calls of a recorder."""
    return cast(ComgraRecorder, _NoRecorder())
