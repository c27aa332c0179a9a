"""One iteration with thousands of registered tensors, each computed from the one before."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import torch

from benchmarks.table import Row
from benchmarks.timing import in_turn, median_ratio
from benchmarks.workload import Workload
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded

__all__ = ["HEADING", "measure"]

HEADING = "One recorded iteration with a long chain of tensors [4, 8], written to disk"


def measure(workload: Workload) -> list[Row]:
    """Record a short and a long chain in turn; a ratio of 1 between their times per tensor means linear."""
    short, long = (20, 100) if workload.quick else (2_000, 10_000)
    rounds = 1 if workload.quick else 5
    chains = {f"{length:,} tensors": _Chain(workload.folder / f"chain-{length}", length, rounds + 1) for length in (short, long)}
    times = in_turn({name: chain.record for name, chain in chains.items()}, rounds)
    for chain in chains.values():
        chain.recorder.finalize()
    per_tensor = {name: [duration / chains[name].length for duration in durations] for name, durations in times.items()}
    rows = [Row(name, median(durations), "s", f"{median(per_tensor[name]) * 1e6:.0f} us per tensor") for name, durations in times.items()]
    ratio = median_ratio(per_tensor[f"{long:,} tensors"], per_tensor[f"{short:,} tensors"])
    return [*rows, Row("time per tensor, long chain to short chain", ratio, "x", "1 is linear")]


class _Chain:
    """A recorder, and steps in which it records a chain."""

    def __init__(self, folder: Path, length: int, steps: int) -> None:
        self.length = length
        self._steps = iter(range(steps))
        self._layer = torch.nn.Linear(8, 8)
        schedule = DecisionMakerForRecordingsHardcoded(range(steps))
        self.recorder = ComgraRecorder(folder, decision_maker_for_recordings=schedule, max_num_batch_size_to_record=4)
        self.recorder.track_module("layer", self._layer)

    def record(self) -> None:
        with self.recorder.batch(next(self._steps), 4), self.recorder.iteration():
            tensor = self._layer(torch.ones(4, 8))
            for link in range(self.length):
                tensor = tensor * 0.999
                self.recorder.register_tensor(f"link_{link:05}", tensor)
