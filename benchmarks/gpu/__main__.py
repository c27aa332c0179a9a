"""`python -m benchmarks.gpu`: what recording costs on a CUDA device, for a transformer with 98 million parameters.

It prints ratios to the same step without a recorder, and the memory added on the device.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch

from benchmarks.harness.table import Row, print_heading, print_rows
from benchmarks.harness.timing import ratios
from benchmarks.recorder.sizes import SIZES, SizedTraining
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded, watch
from comgra_export.recorder.cuda.devices import SWITCH

_ROUNDS = 5
_STEPS = 5
_TARGETS = {"watched, step not recorded": 1.01, "statistics of all, recorded": 1.15, "values of chosen tensors, recorded": 1.3}


def main() -> int:
    """Measure, and return the exit status."""
    if not torch.cuda.is_available():
        print("There is no CUDA device here, so nothing is measured.")
        return 0
    device = torch.device("cuda")
    ways = "kernels" if os.environ.get(SWITCH) == "1" else "torch"
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}; the numbers are computed by {ways}.")
    training = SizedTraining(*SIZES["98 million"], device=device)
    times: dict[str, list[float]] = {"plain": [], **{name: [] for name in _TARGETS}}
    memory: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        _seconds(training.train_once)
        for number in range(_ROUNDS):
            times["plain"].append(_seconds(training.train_once))
            for name in _TARGETS:
                torch.cuda.reset_peak_memory_stats(device)
                before = torch.cuda.max_memory_allocated(device)
                times[name].append(_lap(training, name, Path(folder) / f"{number} {name}"))
                memory[name] = (torch.cuda.max_memory_allocated(device) - before) / 1e6
    print_heading("A step of that transformer, with 512 tokens")
    print_rows([Row("without a recorder", [1000 * seconds for seconds in times["plain"]], "ms/step")])
    print_rows([Row(f"{name}: ratio", ratios(times[name], times["plain"]), "x", target=target) for name, target in _TARGETS.items()])
    print_rows([Row(f"{name}: memory added on the device", [memory[name]], "MB") for name in _TARGETS])
    return 0 if all(median(ratios(times[name], times["plain"])) <= target for name, target in _TARGETS.items()) else 1


def _lap(training: SizedTraining, name: str, folder: Path) -> float:
    """Seconds of a step, until the device has computed it."""
    if name.startswith("values"):
        recorder = ComgraRecorder(folder, "gpu", "trial", DecisionMakerForRecordingsHardcoded(range(1000)))
        steps = iter(range(1000))

        def record() -> None:
            with recorder.batch(next(steps), 2), recorder.iteration():
                training.train_once(lambda name, tensor: recorder.register_tensor(name, tensor))

        record()
        seconds = _seconds(record)
        recorder.finalize()
        return seconds
    recorded = range(1000) if name.startswith("statistics") else ()
    with watch(training.model, folder, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(recorded)):
        # The recorder inspects the model in the first step.
        training.train_once()
        return _seconds(training.train_once)


def _seconds(step: Callable[[], object]) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(_STEPS):
        step()
    end.record()
    torch.cuda.synchronize()
    milliseconds: float = begin.elapsed_time(end)
    return milliseconds / 1000 / _STEPS


if __name__ == "__main__":
    sys.exit(main())
