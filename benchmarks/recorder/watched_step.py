"""What watching a model costs that knows nothing of it, recorded and not, against the same step unwatched and with TorchExplorer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.harness.own_process import Series, Unavailable
from benchmarks.harness.table import Row
from benchmarks.harness.timing import Lap, laps_in_turn, ratios, stopwatch
from benchmarks.harness.watched_models import ModelName, WatchedTraining
from benchmarks.harness.watchers import Watched, Watcher, our_watcher
from benchmarks.harness.workload import Workload
from benchmarks.tools.environments import TORCHEXPLORER

__all__ = ["HEADING", "measure", "time_first_step", "time_watched"]

HEADING = (
    "Watching a model in training, in and out of every module: MLP of 9 modules (batch 64), small CIFAR ResNet of 55 (batch 32), "
    "ResNet-18 on 32 x 32 (batch 5), chain of 300 layers (batch 8)"
)

_TARGETS: dict[ModelName, tuple[float, float, float] | tuple[None, None, None]] = {
    # What a step costs that is measured in microseconds says little of the others, so nothing is promised for it.
    "MLP": (None, None, None),
    "small ResNet": (1.01, 1.6, 0.3),
    "ResNet-18": (1.01, 1.6, 0.3),
}
"""The ratio of an unrecorded step, that of a recorded one, and seconds until the first one is on disk."""

_FIRST_STEP_OF_LAYERS = 1.0
"""Seconds until the first recorded step of the chain of layers is on disk."""

_STEPS: dict[ModelName, int] = {"MLP": 40, "small ResNet": 2, "ResNet-18": 2}


def measure(workload: Workload) -> list[Row]:
    """Measure our recorder here, and TorchExplorer in a process of its own, each with a step that is not watched."""
    rows = []
    for model in _TARGETS:
        steps, rounds = (1, 1) if workload.quick else (_STEPS[model], 10)
        unrecorded, recorded, first = _TARGETS[model]
        ours = time_watched(
            our_watcher,
            workload.folder / model,
            model=model,
            how=["unrecorded", "empty hooks", "one pass", "recorded"],
            rounds=rounds,
            steps=steps,
        )
        theirs, missing = workload.run_torchexplorer(
            time_watched, model=model, how=["unrecorded", "recorded in memory", "recorded"], rounds=rounds, steps=steps
        )
        ours_first, theirs_first = _first_steps(workload, model, first)
        model_rows = [
            Row("not watched", [duration * 1000 for duration in ours["plain held"]], "ms/step"),
            _ratio("not watched, again", ours["again held"], ours, remark="two equal things: what differs is the machine"),
            _ratio("step not recorded", ours["unrecorded held"], ours, target=unrecorded),
            _ratio("hooks that do nothing", ours["empty hooks held"], ours, remark="the least that a step that is not recorded can cost"),
            _ratio("every number of it read once", ours["one pass held"], ours, remark="the least that a recorded step can cost"),
            Row("step recorded", [duration * 1000 for duration in ours["recorded held"]], "ms/step"),
            _ratio("step recorded: ratio, training waits", ours["recorded held"], ours, target=recorded),
            _ratio("step recorded: ratio, until it is on disk", ours["recorded total"], ours, target=recorded),
            ours_first,
            _ratio(f"{TORCHEXPLORER.title}, step not logged", theirs.get("unrecorded held", []), theirs, missing),
            _ratio(f"{TORCHEXPLORER.title}, step logged, nothing written", theirs.get("recorded in memory held", []), theirs, missing),
            _ratio(f"{TORCHEXPLORER.title}, step logged and written", theirs.get("recorded held", []), theirs, missing),
            theirs_first,
        ]
        rows += _named(model, model_rows)
    rows += _named("300 layers", _first_steps(workload, "300 layers", _FIRST_STEP_OF_LAYERS))
    return rows


def time_watched(watcher: Watcher, folder: Path, *, model: ModelName, how: Sequence[Watched], rounds: int, steps: int) -> Series:
    """Train copies of a model in turn: two that are not watched, and one for each way to watch it.

    Each is watched only while it is its turn. The first step of a turn does not count: the recorder inspects the model in it.

    Returns:
        Seconds per step of `plain`, of `again`, and of each way: while training is `held`, and in `total`.
    """
    ways: dict[str, Watched | None] = {"plain": None, "again": None, **{way: way for way in how}}
    calls: dict[str, Callable[[], Lap]] = {
        name: partial(_lap, watcher, folder, WatchedTraining(model), way, steps) for name, way in ways.items()
    }
    laps = laps_in_turn(calls, rounds)
    return {f"{name} {what}": getattr(laps[name], what) for name in calls for what in ("held", "total")}


def _lap(watcher: Watcher, folder: Path, training: WatchedTraining, how: Watched | None, steps: int) -> Lap:
    with nullcontext(_nothing) if how is None else watcher(training.model, folder / how, how) as wait:
        training.train_once()
        wait()
        return stopwatch(training.train_once, wait, steps)()


def time_first_step(watcher: Watcher, folder: Path, *, model: ModelName) -> Series:
    """Begin to watch a model in a process that has only trained it before, and record one step.

    Returns:
        Seconds until the `first` recorded step is on disk.
    """
    training = WatchedTraining(model)
    for _ in range(2):
        training.train_once()
    begin = perf_counter()
    with watcher(training.model, folder / "first", "recorded") as wait:
        training.train_once()
        wait()
        return {"first": [perf_counter() - begin]}


def _first_steps(workload: Workload, model: ModelName, target: float | None) -> list[Row]:
    """Ours and TorchExplorer's."""
    return [
        _first_step("first recorded step, until it is on disk", *_our_first_steps(workload, model), target=target),
        _first_step(f"{TORCHEXPLORER.title}, first step, until it is on disk", *_their_first_steps(workload, model)),
    ]


def _named(model: ModelName, rows: Sequence[Row]) -> list[Row]:
    return [replace(row, name=f"{model}: {row.name}") for row in rows]


def _our_first_steps(workload: Workload, model: ModelName) -> tuple[list[float], str]:
    def measure_once() -> tuple[Series, str]:
        try:
            return workload.run_ours("our watcher", time_first_step, 60, model=model), ""
        except Unavailable as reason:
            return {}, str(reason)

    return _several_times(workload, measure_once)


def _their_first_steps(workload: Workload, model: ModelName) -> tuple[list[float], str]:
    return _several_times(workload, partial(workload.run_torchexplorer, time_first_step, model=model))


def _several_times(workload: Workload, measure_once: Callable[[], tuple[Series, str]]) -> tuple[list[float], str]:
    seconds: list[float] = []
    for _ in range(1 if workload.quick else 3):
        series, missing = measure_once()
        if missing:
            return [], missing
        seconds += series["first"]
    return seconds, ""


def _first_step(name: str, seconds: list[float], missing: str, target: float | None = None) -> Row:
    return Row(name, seconds, "s", missing, target)


def _ratio(name: str, times: list[float], series: Series, remark: str = "", target: float | None = None) -> Row:
    return Row(name if ": ratio" in name else f"{name}: ratio", ratios(times, series.get("plain held", [])), "x", remark, target)


def _nothing() -> None:
    pass
