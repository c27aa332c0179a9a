"""What a recorded step of a transformer costs, in time, memory and disk, against the same step without a recorder and with comgra."""

from __future__ import annotations

import os
import sys
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks.harness.memory import peak_memory
from benchmarks.harness.own_process import Series, Unavailable, run_alone
from benchmarks.harness.recorders import RecorderMaker, no_recorder, our_recorder
from benchmarks.harness.table import Row
from benchmarks.harness.timing import laps_in_turn, ratios, seconds, stopwatch
from benchmarks.harness.transformer import LAYERS, RECORDED_SAMPLES, TransformerTraining, batch_size, several_threads
from benchmarks.harness.workload import Workload
from benchmarks.tools.environments import COMGRA

__all__ = ["HEADING", "measure", "measure_space", "time_recorded"]

HEADING = "A recorded step of that transformer: every value of 18 tensors for five samples, all parameters, gradients"

_TARGET_RATIOS = {"values": 1.5, "statistics": 1.2}
_TARGET_MEMORY = 300.0
_TARGET_DISK = 20.0
_RECORDING_TYPES = {"values": None, "statistics": "kpis"}


def measure(workload: Workload) -> list[Row]:
    """Measure times here, and memory in a process of its own, then the same with comgra."""
    quick = workload.quick
    size, layers, rounds = batch_size(quick=quick), 1 if quick else LAYERS, 1 if quick else 10
    rows: list[Row] = []
    plain: list[float] = []
    for what in _RECORDING_TYPES:
        times = time_recorded(our_recorder, workload.folder / what, what=what, layers=layers, batch_size=size, rounds=rounds, warm_up=True)
        if what == "values":
            plain = times["plain"]
            rows.append(_in_ms("without a recorder", plain))
        rows += [
            _in_ms(f"{what} recorded", times["held"]),
            Row(f"{what} recorded: ratio, training waits", ratios(times["held"], times["plain"]), "x", target=_TARGET_RATIOS[what]),
            Row(f"{what} recorded: ratio, until it is on disk", ratios(times["total"], times["plain"]), "x", target=_TARGET_RATIOS[what]),
        ]
    try:
        space, missing = (
            run_alone(Path(sys.executable), "our recorder", measure_space, 300, layers=layers, batch_size=size, steps=2),
            "",
        )
    except Unavailable as reason:
        space, missing = {}, str(reason)
    rows += _rows_of_space("values recorded", space, missing, _TARGET_MEMORY, _TARGET_DISK)
    durations = _seconds_to_write(workload.folder / "plain", int(space["disk"][0]), rounds) if space else []
    rows.append(Row("a plain write of as many bytes: ratio", [duration / median(plain) for duration in durations], "x", missing))
    return rows + _rows_of_comgra(workload, size)


def time_recorded(
    make_recorder: RecorderMaker, folder: Path, *, what: str, layers: int, batch_size: int, rounds: int, warm_up: bool
) -> Series:
    """Train one network with and without a recorder in turn.

    Returns:
        Seconds per step of `plain`, and recorded steps: while training is `held`, and in `total`.
    """
    training = TransformerTraining(layers, batch_size)
    recorder = make_recorder(folder, "recorded", training.network, range(rounds + 1), RECORDED_SAMPLES)
    steps = count()
    with several_threads():
        training.train_once(no_recorder(), 0)
        laps = laps_in_turn(
            {
                "plain": stopwatch(lambda: training.train_once(no_recorder(), 0), recorder.flush),
                "recorded": stopwatch(lambda: training.train_once(recorder, next(steps), _RECORDING_TYPES[what]), recorder.flush),
            },
            rounds,
            warm_up=warm_up,
        )
    recorder.finalize()
    return {"plain": laps["plain"].held, "held": laps["recorded"].held, "total": laps["recorded"].total}


def measure_space(make_recorder: RecorderMaker, folder: Path, *, layers: int, batch_size: int, steps: int) -> Series:
    """Train without recording, then with, in a process that has done nothing else.

    Returns:
        `memory`: bytes by which recording raised the peak of the process; `disk`: bytes per recorded step.
    """
    training = TransformerTraining(layers, batch_size)
    recorder = make_recorder(folder, "recorded", training.network, range(3, 3 + steps), RECORDED_SAMPLES)
    with several_threads():
        for step in range(3):
            training.train_once(recorder, step)
        before = peak_memory()
        for step in range(3, 3 + steps):
            training.train_once(recorder, step)
            recorder.flush()
        after = peak_memory()
    recorder.finalize()
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {"memory": [after - before], "disk": [disk / steps]}


def _rows_of_comgra(workload: Workload, size: int) -> list[Row]:
    """By default with one layer: with all of them, a step takes a minute. Both that step and the plain one grow with the layers."""
    layers = LAYERS if workload.effort == "full" else 1
    remark = "" if layers == LAYERS else "one layer, not six: with six only with --full"
    values, missing = workload.run_comgra(time_recorded, what="values", layers=layers, batch_size=size, rounds=1, warm_up=False)
    rows = [
        _in_ms(f"{COMGRA.title}, values recorded", values.get("held", []), missing or remark),
        Row(f"{COMGRA.title}, values recorded: ratio", ratios(values.get("held", []), values.get("plain", [])), "x", missing or remark),
    ]
    space, missing = workload.run_comgra(measure_space, layers=layers, batch_size=size, steps=1)
    rows += _rows_of_space(f"{COMGRA.title}, values recorded", space, missing or remark)
    layers, rounds = (1, 1) if workload.quick else (LAYERS, 5)
    statistics, missing = workload.run_comgra(time_recorded, what="statistics", layers=layers, batch_size=size, rounds=rounds, warm_up=True)
    ratio = ratios(statistics.get("held", []), statistics.get("plain", []))
    return [*rows, Row(f"{COMGRA.title}, statistics recorded: ratio", ratio, "x", missing)]


def _rows_of_space(
    name: str, space: Series, remark: str, target_memory: float | None = None, target_disk: float | None = None
) -> list[Row]:
    rows = []
    for key, what, target in (("memory", "memory added at the peak", target_memory), ("disk", "bytes on disk per step", target_disk)):
        rows.append(Row(f"{name}: {what}", [value / 1e6 for value in space.get(key, [])], "MB", remark, target))
    return rows


def _seconds_to_write(folder: Path, size: int, rounds: int) -> list[float]:
    """How long the file system itself takes for new files of so many bytes."""
    folder.mkdir()
    content = os.urandom(size)
    return [seconds(partial((folder / str(number)).write_bytes, content)) for number in range(rounds)]


def _in_ms(name: str, durations: list[float], remark: str = "") -> Row:
    return Row(name, [duration * 1000 for duration in durations], "ms/step", remark)
