"""What a call of the recorder costs on a step that is not recorded: the price of leaving the calls in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import torch

from benchmarks.table import Row
from benchmarks.timing import seconds_per_call
from benchmarks.workload import Training, Workload

__all__ = ["HEADING", "measure"]

HEADING = "Calls on a step that is not recorded"


def measure(workload: Workload) -> list[Row]:
    """Time each call by itself."""
    recorder = Training().recorder(workload.folder / "calls", "calls", [])
    tensor = torch.rand(128, 32)
    source = torch.rand(128, 32)
    steps, timepoints = count(), count()

    def batch() -> None:
        recorder.start_batch(next(steps), 128)
        recorder.finish_batch()

    def iteration() -> None:
        recorder.start_iteration()
        recorder.finish_iteration()

    inside: dict[str, Callable[[], object]] = {
        "register_tensor": lambda: recorder.register_tensor("tensor", tensor),
        "add_tensor_connection": lambda: recorder.add_tensor_connection(source, tensor),
        "record_current_gradients": lambda: recorder.record_current_gradients("gradients"),
        "record_kpi_in_graph": lambda: recorder.record_kpi_in_graph("group", "name", 0.5),
        "record_kpi_in_graph, recorded on every step": lambda: recorder.record_kpi_in_graph(
            "group", "name", 0.5, timepoint=next(timepoints), record_even_if_recording_is_inactive=True
        ),
    }
    calls = 100 if workload.quick else 10_000
    rows = [_row("start_batch + finish_batch", batch, calls)]
    recorder.start_batch(next(steps), 128)
    rows.append(_row("start_iteration + finish_iteration", iteration, calls))
    recorder.start_iteration()
    rows += [_row(name, call, calls) for name, call in inside.items()]
    recorder.finish_iteration()
    recorder.finish_batch()
    recorder.finalize()
    return rows


def _row(name: str, call: Callable[[], object], calls: int) -> Row:
    return Row(name, seconds_per_call(call, calls) * 1e6, "us/call")
