"""What a training step costs with the recorder, recorded and not, against the same step without one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from statistics import median

from benchmarks.table import Row
from benchmarks.timing import in_turn, median_ratio
from benchmarks.workload import Training, Workload, no_recorder
from comgra_export import ComgraRecorder

__all__ = ["HEADING", "measure"]

HEADING = "A training step of the tutorial network, ten iterations, gradients included"

_LENGTH = 10
_STEPS_IN_A_ROW = 5


def measure(workload: Workload) -> list[Row]:
    """Train three copies of the network in turn, each for several steps, since a step is disturbed by what ran before it."""
    rounds = 1 if workload.quick else 20
    folder = workload.folder / "steps"
    plain, unrecorded, recorded = Training(), Training(), Training()
    recorders = [
        unrecorded.recorder(folder, "unrecorded", []),
        recorded.recorder(folder, "recorded", range((rounds + 1) * _STEPS_IN_A_ROW)),
    ]
    calls: dict[str, Callable[[], object]] = {
        "without a recorder": partial(_train, plain, no_recorder(), count()),
        "with a recorder, step not recorded": partial(_train, unrecorded, recorders[0], count()),
        "with a recorder, step recorded": partial(_train, recorded, recorders[1], count()),
    }
    times = in_turn(calls, rounds)
    for recorder in recorders:
        recorder.finalize()
    baseline = times["without a recorder"]
    rows = []
    for name, durations in times.items():
        rows.append(Row(name, median(durations) / _STEPS_IN_A_ROW * 1000, "ms/step"))
        if durations is not baseline:
            rows.append(Row(f"{name}: ratio", median_ratio(durations, baseline), "x", "median of the ratios in each round"))
    return rows


def _train(training: Training, recorder: ComgraRecorder, steps: count[int]) -> None:
    for _ in range(_STEPS_IN_A_ROW):
        training.train_once(recorder, next(steps), _LENGTH)
