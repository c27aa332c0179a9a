"""One iteration with thousands of registered tensors, each computed from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.harness.own_process import Series
from benchmarks.harness.recorders import RecorderMaker, our_recorder
from benchmarks.harness.table import Row
from benchmarks.harness.timing import laps_in_turn, ratios, stopwatch
from benchmarks.harness.workload import Workload
from benchmarks.tools.environments import COMGRA

__all__ = ["HEADING", "measure", "time_chains"]

HEADING = "One recorded iteration with a chain of tensors [4, 8], each registered"

_TARGETS = {2_000: 0.15, 10_000: 0.8}
_TARGET_RATIO = 1.1


def measure(workload: Workload) -> list[Row]:
    """Record a short and a long chain in turn; a ratio of 1 between their times per tensor means linear."""
    short, long = (20, 100) if workload.quick else (2_000, 10_000)
    ours = time_chains(our_recorder, workload.folder / "chains", lengths=[short, long], rounds=1 if workload.quick else 5, warm_up=True)
    rows = []
    for length in (short, long):
        for what, key in (("training waits", "held"), ("until it is on disk", "total")):
            durations = ours[f"{length} {key}"]
            row = Row(f"{length:,} tensors, {what}", durations, "s", target=_TARGETS.get(length))
            rows.append(Row(row.name, row.samples, row.unit, f"{(row.value or 0) / length * 1e6:.0f} us per tensor", row.target))
    rows.append(_growth("", short, long, ours, "", _TARGET_RATIO))
    return rows + _rows_of_comgra(workload, short, long)


def time_chains(make_recorder: RecorderMaker, folder: Path, *, lengths: Sequence[int], rounds: int, warm_up: bool) -> Series:
    """Record a chain of each length in turn.

    Returns:
        Seconds per iteration while training is held (`2000 held`, say), and in total (`2000 total`).
    """
    chains = {str(length): _Chain(make_recorder, folder, length, rounds + 1) for length in lengths}
    laps = laps_in_turn({name: stopwatch(chain.record, chain.recorder.flush) for name, chain in chains.items()}, rounds, warm_up=warm_up)
    for chain in chains.values():
        chain.recorder.finalize()
    return {f"{name} held": laps[name].held for name in chains} | {f"{name} total": laps[name].total for name in chains}


class _Chain:
    """A recorder, and steps in which it records a chain."""

    def __init__(self, make_recorder: RecorderMaker, folder: Path, length: int, steps: int) -> None:
        self.length = length
        self._steps = iter(range(steps))
        self._layer = torch.nn.Linear(8, 8)
        self.recorder = make_recorder(folder, f"chain-{length}", self._layer, range(steps), 4)

    def record(self) -> None:
        with self.recorder.batch(next(self._steps), 4), self.recorder.iteration():
            tensor = self._layer(torch.ones(4, 8))
            for link in range(self.length):
                tensor = tensor * 0.999
                self.recorder.register_tensor(f"link_{link:05}", tensor)


def _rows_of_comgra(workload: Workload, short: int, long: int) -> list[Row]:
    half = short // 2
    theirs, missing = workload.run_comgra(time_chains, lengths=[half, short], rounds=1 if workload.quick else 2, warm_up=False)
    rows = [Row(f"{COMGRA.title}, {length:,} tensors", theirs.get(f"{length} total", []), "s", missing) for length in (half, short)]
    rows.append(_growth(f"{COMGRA.title}, ", half, short, theirs, missing, None))
    if workload.effort == "full":
        theirs, missing = workload.run_comgra(time_chains, lengths=[long], rounds=1, warm_up=False)
    else:
        theirs, missing = {}, missing or "only with --full: it takes minutes"
    return [*rows, Row(f"{COMGRA.title}, {long:,} tensors", theirs.get(f"{long} total", []), "s", missing)]


def _growth(whose: str, short: int, long: int, series: Series, missing: str, target: float | None) -> Row:
    per_tensor = [[duration / length for duration in series.get(f"{length} total", [])] for length in (long, short)]
    return Row(f"{whose}time per tensor, {long:,} to {short:,} tensors", ratios(*per_tensor), "x", missing or "1 is linear", target)
