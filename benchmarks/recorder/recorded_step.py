"""What a training step costs with the recorder, recorded and not, against the same step without one and with comgra."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks.harness.own_process import Series
from benchmarks.harness.recorders import RecorderMaker, no_recorder, our_recorder
from benchmarks.harness.table import Row
from benchmarks.harness.timing import Lap, laps_in_turn, ratios, stopwatch
from benchmarks.harness.workload import Training, Workload
from benchmarks.tools.environments import COMGRA
from comgra_export import ComgraRecorder
from examples.tutorial import RECORDED_SAMPLES

__all__ = ["HEADING", "measure", "time_steps"]

HEADING = "A training step of the tutorial network: ten iterations, all neurons of five samples, gradients"

_LENGTH = 10
_TARGET_ADDED = 16.0
_TARGET_SHARE = 0.01


def measure(workload: Workload) -> list[Row]:
    """Measure ours, then the same with comgra."""
    ours = time_steps(
        our_recorder, workload.folder / "steps", rounds=1 if workload.quick else 20, steps_in_a_row=1 if workload.quick else 5
    )
    theirs, missing = workload.run_comgra(time_steps, rounds=1 if workload.quick else 4, steps_in_a_row=1)
    plain, added, added_in_total = ours["plain"], _differences(ours["held"], ours["plain"]), _differences(ours["total"], ours["plain"])
    rows = [
        _in_ms("without a recorder", plain, "/step"),
        _in_ms("with a recorder, step not recorded", ours["unrecorded"], "/step"),
        Row("with a recorder, step not recorded: ratio", ratios(ours["unrecorded"], plain), "x"),
        _in_ms("with a recorder, step recorded", ours["held"], "/step"),
        Row("with a recorder, step recorded: ratio", ratios(ours["held"], plain), "x"),
        _in_ms("added by recording, while training waits", added, target=_TARGET_ADDED),
        _in_ms("added by recording, until it is on disk", added_in_total, target=_TARGET_ADDED),
        _in_ms(f"{COMGRA.title}, step recorded", theirs.get("held", []), "/step", missing),
        Row(f"{COMGRA.title}, step recorded: ratio", ratios(theirs.get("held", []), theirs.get("plain", [])), "x", missing),
    ]
    shares: list[float] = []
    if theirs:
        comgra_adds = median(_differences(theirs["held"], theirs["plain"]))
        shares = [duration / comgra_adds for duration in added_in_total]
    return [*rows, Row("added by recording, until it is on disk: share of what comgra adds", shares, "x", missing, _TARGET_SHARE)]


def time_steps(make_recorder: RecorderMaker, folder: Path, *, rounds: int, steps_in_a_row: int) -> Series:
    """Train copies of the network in turn, each for several steps, since a step is disturbed by what ran before it.

    Returns:
        Seconds per step of `plain`, `unrecorded`, and recorded steps: while training is `held`, and in `total`.
    """
    trainings = {name: Training() for name in ("plain", "unrecorded", "recorded")}
    recorded_steps = {"unrecorded": range(0), "recorded": range((rounds + 1) * steps_in_a_row)}
    recorders = {
        name: make_recorder(folder, name, trainings[name].network, steps, RECORDED_SAMPLES) for name, steps in recorded_steps.items()
    }
    calls: dict[str, Callable[[], Lap]] = {}
    for name, training in trainings.items():
        recorder = recorders.get(name, no_recorder())
        calls[name] = stopwatch(partial(_train, training, recorder, count()), recorder.flush, steps_in_a_row)
    laps = laps_in_turn(calls, rounds)
    for recorder in recorders.values():
        recorder.finalize()
    recorded = laps["recorded"]
    return {"plain": laps["plain"].held, "unrecorded": laps["unrecorded"].held, "held": recorded.held, "total": recorded.total}


def _train(training: Training, recorder: ComgraRecorder, steps: count[int]) -> None:
    training.train_once(recorder, next(steps), _LENGTH)


def _differences(times: list[float], baseline: list[float]) -> list[float]:
    return [a - b for a, b in zip(times, baseline, strict=True)]


def _in_ms(name: str, durations: list[float], per: str = "", remark: str = "", target: float | None = None) -> Row:
    return Row(name, [duration * 1000 for duration in durations], f"ms{per}", remark, target)
