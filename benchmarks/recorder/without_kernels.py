"""What recorded steps cost if the compiled kernels are missing: the statistics are then computed by PyTorch."""

from __future__ import annotations

from benchmarks.harness.own_process import Series, Tool, Unavailable
from benchmarks.harness.table import Row
from benchmarks.harness.timing import ratios
from benchmarks.harness.transformer import LAYERS, batch_size
from benchmarks.harness.workload import Workload
from benchmarks.recorder.recorded_step import time_steps
from benchmarks.recorder.recorded_transformer import time_recorded

__all__ = ["HEADING", "measure"]

HEADING = "Recorded steps without the compiled kernels"

_LIMIT = 300


def measure(workload: Workload) -> list[Row]:
    """Train the tutorial network and the transformer, with and without kernels, each in a process of its own."""
    return [*_tutorial(workload), *_transformer(workload)]


def _tutorial(workload: Workload) -> list[Row]:
    rounds, in_a_row = (1, 1) if workload.quick else (20, 5)

    def times(tool: Tool) -> Series:
        return workload.run_ours(tool, time_steps, _LIMIT, rounds=rounds, steps_in_a_row=in_a_row)

    try:
        without, with_kernels, missing = times("our recorder without kernels"), times("our recorder"), ""
    except Unavailable as reason:
        without, with_kernels, missing = {}, {}, str(reason)
    return _rows("tutorial network", without, with_kernels, missing)


def _transformer(workload: Workload) -> list[Row]:
    size = batch_size(quick=workload.quick)
    layers, rounds = (1, 1) if workload.quick else (LAYERS, 10)

    def times(tool: Tool) -> Series:
        return workload.run_ours(
            tool,
            time_recorded,
            _LIMIT,
            what="values",
            layers=layers,
            batch_size=size,
            rounds=rounds,
            warm_up=True,
        )

    try:
        without, with_kernels, missing = times("our recorder without kernels"), times("our recorder"), ""
    except Unavailable as reason:
        without, with_kernels, missing = {}, {}, str(reason)
    return _rows("transformer", without, with_kernels, missing)


def _rows(network: str, without: Series, with_kernels: Series, missing: str) -> list[Row]:
    """The recorded step, beside the plain one and the one with kernels."""
    plain, held, total = (without.get(what, []) for what in ("plain", "held", "total"))
    return [
        Row(f"{network} without kernels: step recorded", [duration * 1000 for duration in held], "ms/step", missing),
        Row(f"{network} without kernels: ratio, training waits", ratios(held, plain), "x", missing),
        Row(
            f"{network} without kernels: ratio, until it is on disk",
            ratios(total, plain),
            "x",
            missing,
        ),
        Row(f"{network} without kernels: share of the time with kernels", ratios(held, with_kernels.get("held", [])), "x", missing),
    ]
