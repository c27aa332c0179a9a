"""The tutorial network as a workload, and recordings of it that several benchmarks share."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import cast

import torch

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from examples import tutorial

__all__ = ["Training", "Workload", "no_recorder"]

_LENGTHS = (*tutorial.TRAINING_LENGTHS, *tutorial.TEST_LENGTHS)


class _NoRecorder:
    """Stands where the tutorial expects a recorder, and does nothing."""

    def iteration(self) -> AbstractContextManager[None]:
        return nullcontext()

    def batch(self, *_args: object, **_options: object) -> AbstractContextManager[None]:
        return nullcontext()

    def recording_is_active(self) -> bool:
        return False

    def register_tensor(self, *_args: object, **_options: object) -> None:
        pass

    add_tensor_connection = record_current_gradients = register_tensor


def no_recorder() -> ComgraRecorder:
    """Return what the tutorial can be trained with as if it held no calls of a recorder."""
    return cast(ComgraRecorder, _NoRecorder())


class Training:
    """The tutorial network in training: the same weights and data every time it is made."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.network = tutorial.Network(activation_on_output=True).to(dtype)
        self._dtype = dtype
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=tutorial.LEARNING_RATE)
        self._generator = torch.Generator().manual_seed(1)

    def recorder(self, root: Path, trial: str, recorded_steps: Collection[int]) -> ComgraRecorder:
        """Return a recorder of this network that records the steps named."""
        recorder = ComgraRecorder(
            comgra_root_path=root,
            group="benchmark",
            trial_id=trial,
            decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(recorded_steps),
            max_num_batch_size_to_record=tutorial.RECORDED_SAMPLES,
        )
        recorder.track_module("network", self.network)
        return recorder

    def train_once(self, recorder: ComgraRecorder, step: int, length: int) -> None:
        """Train on one batch of sequences."""
        inputs = [x.to(self._dtype) for x in tutorial.draw_inputs(length, self._generator)]
        with recorder.batch(step, tutorial.BATCH_SIZE, type_of_execution=f"{length:02}_iterations"):
            tutorial.train_on_sequence(self.network, inputs, recorder, self._optimizer)


class Workload:
    """Recordings of the tutorial network, each made when it is first asked for.

    Attributes:
        folder: Where benchmarks may write.
        quick: Whether a smoke run is wanted: everything runs, the numbers mean nothing.
    """

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder = folder
        self.quick = quick

    def recording(self, dtype: torch.dtype) -> Path:
        """Return the folder of a trial in which every length was recorded eight times, as often as the tutorial does."""
        trial = str(dtype).removeprefix("torch.")
        path = self.folder / "recordings" / "benchmark" / trial
        if not path.exists():
            steps = len(_LENGTHS) * (1 if self.quick else 8)
            training = Training(dtype)
            recorder = training.recorder(self.folder / "recordings", trial, range(steps))
            for step in range(steps):
                training.train_once(recorder, step, _LENGTHS[step % len(_LENGTHS)])
            recorder.finalize()
        return path
