"""`python -m benchmarks.gpu`: what recording costs on a CUDA device, for transformers of two sizes.

It prints ratios to the same step without a recorder, and the memory added on the device.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

import torch

from benchmarks.harness.table import Row, print_heading, print_rows
from benchmarks.harness.timing import ratios
from benchmarks.recorder.sizes import SIZES, SizedTraining
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded, watch
from comgra_export.recorder.cuda.devices import SWITCH

_ROUNDS = 3
_STEPS = 5
_STEPS_OF_LARGEST = 2


class _Way(NamedTuple):
    """A way to record, and the limit of its ratio if there is one."""

    limit: float | None = None
    is_recorded: bool = True
    has_sentinels: bool = False
    has_singular_values: bool = True


_VALUES = "values of chosen tensors, recorded"
_WAYS = {
    "watched, step not recorded": _Way(1.01, is_recorded=False),
    "the same, with sentinels": _Way(is_recorded=False, has_sentinels=True),
    "statistics of all, recorded": _Way(1.15),
    "the same, without singular values": _Way(has_singular_values=False),
    _VALUES: _Way(1.3),
}


def main() -> int:
    """Measure, and return the exit status."""
    if not torch.cuda.is_available():
        print("There is no CUDA device here, so nothing is measured.")
        return 0
    device = torch.device("cuda")
    by = "kernels" if os.environ.get(SWITCH) == "1" else "torch"
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}; the numbers are computed by {by}.")
    are_kept = _measure(
        "98 million parameters, float32, 2 sequences of 256 tokens", SizedTraining(*SIZES["98 million"], device=device), _STEPS
    )
    torch.cuda.empty_cache()
    if torch.cuda.get_device_properties(device).total_memory < 70_000_000_000:
        print("The larger transformer needs 70 GB of memory, so it is not measured.")
    else:
        _measure("6.6 billion parameters, bfloat16, 2 sequences of 256 tokens", _largest(device), _STEPS_OF_LARGEST)
    return 0 if are_kept else 1


def _largest(device: torch.device) -> SizedTraining:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with device:
            return SizedTraining(4096, 32, 32_000)
    finally:
        torch.set_default_dtype(before)


def _measure(title: str, training: SizedTraining, steps: int) -> bool:
    """Measures all ways in turn, and prints them. Returns whether all limits are kept."""
    times: dict[str, list[float]] = {"plain": [], **{name: [] for name in _WAYS}}
    memory: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        _seconds(training.train_once, steps)
        for number in range(_ROUNDS):
            times["plain"].append(_seconds(training.train_once, steps))
            for name in _WAYS:
                torch.cuda.reset_peak_memory_stats()
                before = torch.cuda.memory_allocated()
                times[name].append(_lap(training, name, Path(folder) / f"{number} {name}", steps))
                memory[name] = (torch.cuda.max_memory_allocated() - before) / 1e6
    print_heading(f"A step of a transformer: {title}")
    print_rows([Row("without a recorder", [1000 * seconds for seconds in times["plain"]], "ms/step")])
    print_rows([Row(f"{name}: ratio", ratios(times[name], times["plain"]), "x", target=way.limit) for name, way in _WAYS.items()])
    print_rows([Row(f"{name}: memory, with that of the step", [memory[name]], "MB") for name in _WAYS])
    return all(way.limit is None or median(ratios(times[name], times["plain"])) <= way.limit for name, way in _WAYS.items())


def _lap(training: SizedTraining, name: str, folder: Path, steps: int) -> float:
    """Seconds of a step, until the device has computed it."""
    if name == _VALUES:
        recorder = ComgraRecorder(folder, "gpu", "trial", DecisionMakerForRecordingsHardcoded(range(1000)))
        numbers = iter(range(1000))

        def record() -> None:
            with recorder.batch(next(numbers), 2), recorder.iteration():
                training.train_once(lambda name, tensor: recorder.register_tensor(name, tensor))

        record()
        seconds = _seconds(record, steps)
        recorder.finalize()
        return seconds
    way = _WAYS[name]
    with watch(
        training.model,
        folder,
        decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(range(1000) if way.is_recorded else ()),
        sentinels=way.has_sentinels,
        calculate_svd_and_other_expensive_operations_of_parameters=way.has_singular_values,
    ):
        # The recorder inspects the model in the first step.
        training.train_once()
        return _seconds(training.train_once, steps)


def _seconds(step: Callable[[], object], steps: int) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(steps):
        step()
    end.record()
    torch.cuda.synchronize()
    milliseconds: float = begin.elapsed_time(end)
    return milliseconds / 1000 / steps


if __name__ == "__main__":
    sys.exit(main())
