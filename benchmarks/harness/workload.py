"""The tutorial network as a workload. All benchmarks share its recordings, a folder and the effort."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, ParamSpec, TypeVar

import torch

from benchmarks.harness.own_process import Experiment, Series, Tool, Unavailable, run_alone, run_here
from benchmarks.harness.recorders import RecorderMaker, our_recorder
from benchmarks.harness.watchers import Watcher
from benchmarks.tools.environments import COMGRA, TORCHEXPLORER, OtherToolEnvironment
from comgra_export import ComgraRecorder
from examples import tutorial

__all__ = ["Effort", "Training", "Workload", "record_every_length"]

Effort = Literal["quick", "usual", "full"]

_LENGTHS = (*tutorial.TRAINING_LENGTHS, *tutorial.TEST_LENGTHS)
_LIMITS: dict[Effort, float] = {"quick": 300, "usual": 300, "full": 1800}
_Arguments = ParamSpec("_Arguments")
_Made = TypeVar("_Made")


class Training:
    """The tutorial network in training: the same weights and data every time it is made."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.network = tutorial.Network(activation_on_output=True).to(dtype)
        self._dtype = dtype
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=tutorial.LEARNING_RATE)
        self._generator = torch.Generator().manual_seed(1)

    def train_once(self, recorder: ComgraRecorder, step: int, length: int) -> None:
        """Train on one batch of sequences."""
        inputs = [x.to(self._dtype) for x in tutorial.draw_inputs(length, self._generator)]
        with recorder.batch(step, tutorial.BATCH_SIZE, type_of_execution=f"{length:02}_iterations"):
            tutorial.train_on_sequence(self.network, inputs, recorder, self._optimizer)


def record_every_length(make_recorder: RecorderMaker, root: Path, trial: str, *, times: int, dtype: torch.dtype = torch.float32) -> None:
    """Record a trial with every length of the tutorial, each several times."""
    steps = len(_LENGTHS) * times
    training = Training(dtype)
    recorder = make_recorder(root, trial, training.network, range(steps), tutorial.RECORDED_SAMPLES)
    for step in range(steps):
        training.train_once(recorder, step, _LENGTHS[step % len(_LENGTHS)])
    recorder.finalize()


@dataclass
class Workload:
    """The arguments of every benchmark.

    Attributes:
        folder: Where it may write.
        effort: `quick`: everything runs on little, and the numbers mean nothing. `full`: also what takes comgra minutes.
        with_comgra: Whether to compare with comgra.
        with_torchexplorer: Whether to compare with TorchExplorer.
    """

    folder: Path
    effort: Effort
    with_comgra: bool
    with_torchexplorer: bool
    comgra: OtherToolEnvironment = field(default_factory=lambda: OtherToolEnvironment(COMGRA))
    torchexplorer: OtherToolEnvironment = field(default_factory=lambda: OtherToolEnvironment(TORCHEXPLORER))

    @property
    def quick(self) -> bool:
        """Whether this is a smoke run."""
        return self.effort == "quick"

    def recording(self, dtype: torch.dtype) -> Path:
        """Return the folder of a trial in which every length was recorded eight times, made when it is first asked for."""
        trial = str(dtype).removeprefix("torch.")
        path = self.folder / "recordings" / "benchmark" / trial
        if not path.exists():
            record_every_length(our_recorder, self.folder / "recordings", trial, times=2 if self.quick else 8, dtype=dtype)
        return path

    def run_ours(
        self, tool: Tool, experiment: Experiment[_Made, _Arguments], limit: float, *none: _Arguments.args, **arguments: _Arguments.kwargs
    ) -> Series:
        """Run an experiment with our recorder in a process of its own, for at most so many seconds.

        A smoke run stays in this process if it can: the import of torch would take most of its time.

        Raises:
            Unavailable: It failed, or took longer than the limit.
        """
        if self.quick and tool != "our recorder without kernels":
            return run_here(tool, experiment, *none, **arguments)
        return run_alone(Path(sys.executable), tool, experiment, limit, *none, **arguments)

    def run_comgra(
        self, experiment: Experiment[RecorderMaker, _Arguments], *none: _Arguments.args, **arguments: _Arguments.kwargs
    ) -> tuple[Series, str]:
        """Run an experiment with comgra's recorder.

        Returns:
            Its series; or none, and why.
        """
        if not self.with_comgra:
            return {}, "comgra was left out"
        return self._run(self.comgra, "comgra recorder", experiment, *none, **arguments)

    def run_torchexplorer(
        self, experiment: Experiment[Watcher, _Arguments], *none: _Arguments.args, **arguments: _Arguments.kwargs
    ) -> tuple[Series, str]:
        """Run an experiment with TorchExplorer.

        Returns:
            Its series; or none, and why.
        """
        if not self.with_torchexplorer:
            return {}, "TorchExplorer was left out"
        return self._run(self.torchexplorer, "torchexplorer watcher", experiment, *none, **arguments)

    def _run(
        self,
        environment: OtherToolEnvironment,
        tool: Tool,
        experiment: Experiment[_Made, _Arguments],
        *none: _Arguments.args,
        **arguments: _Arguments.kwargs,
    ) -> tuple[Series, str]:
        try:
            return run_alone(environment.python, tool, experiment, _LIMITS[self.effort], *none, **arguments), ""
        except Unavailable as reason:
            return {}, str(reason)
