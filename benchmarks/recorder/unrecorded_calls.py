"""What a call of the recorder costs on a step that is not recorded: the price of leaving the calls in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import torch

from benchmarks.harness.recorders import our_recorder
from benchmarks.harness.table import Row
from benchmarks.harness.timing import seconds_per_call
from benchmarks.harness.workload import Training, Workload

__all__ = ["HEADING", "measure"]

HEADING = "Calls on a step that is not recorded"

_TARGET = 1.0


def measure(workload: Workload) -> list[Row]:
    """Time each call by itself."""
    recorder = our_recorder(workload.folder / "calls", "calls", Training().network, [], 5)
    tensor = torch.rand(128, 32)
    source = torch.rand(128, 32)
    steps, timepoints = count(), count()

    def batch() -> None:
        recorder.start_batch(next(steps), 128)
        recorder.finish_batch()

    def iteration() -> None:
        recorder.start_iteration()
        recorder.finish_iteration()

    def curve_point() -> None:
        recorder.record_kpi_in_graph("group", "name", 0.5, timepoint=next(timepoints), record_even_if_recording_is_inactive=True)

    inside: dict[str, Callable[[], object]] = {
        "register_tensor": lambda: recorder.register_tensor("tensor", tensor),
        "add_tensor_connection": lambda: recorder.add_tensor_connection(source, tensor),
        "record_current_gradients": lambda: recorder.record_current_gradients("gradients"),
        "record_kpi_in_graph": lambda: recorder.record_kpi_in_graph("group", "name", 0.5),
    }
    calls = 100 if workload.quick else 10_000
    rows = [_row("start_batch + finish_batch", batch, calls, 2 * _TARGET)]
    recorder.start_batch(next(steps), 128)
    rows.append(_row("start_iteration + finish_iteration", iteration, calls, 2 * _TARGET))
    recorder.start_iteration()
    rows += [_row(name, call, calls, _TARGET) for name, call in inside.items()]
    rows.append(_row("record_kpi_in_graph, recorded on every step", curve_point, calls, None))
    recorder.finish_iteration()
    recorder.finish_batch()
    recorder.finalize()
    return rows


def _row(name: str, call: Callable[[], object], calls: int, target: float | None) -> Row:
    return Row(name, [duration * 1e6 for duration in seconds_per_call(call, calls)], "us/call", target=target)
