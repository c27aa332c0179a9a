"""Estimate the size of what a trial has over time: series, from some of its steps, and gradient flows, from their layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from comgra_export.exporter.format.chunks import EncodedChunk
from comgra_export.exporter.pack.flow_lanes import add_flows, pairs_of_flows
from comgra_export.exporter.pack.series import add_series
from comgra_export.exporter.pack.series_rows import COUNTS, PARAMETER_NUMBERS, Row
from comgra_export.exporter.pack.stream import chunk_stream
from comgra_export.exporter.plan.plan import Plan, PlannedStep, PlannedTrial
from comgra_export.exporter.plan.reading import Reader
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.workers import Workers

__all__ = ["FlowKey", "SeriesSize", "flow_sizes"]

_STEPS_MEASURED = 64
# Counts are mostly stored as int32.
_COUNT_BYTES = 4
_PARAMETER_BYTES = {"parameters.F32": 4, "parameters.F64": 8}


class SeriesSize:
    """The size of the lanes and of the directory of one trial.

    Args:
        planned: The trial.
        usefulness: The place of each step in the order of usefulness; the most useful steps are measured.
        size_of: What the text of a chunk takes in the bundle, with its entry in the index.
    """

    def __init__(self, planned: PlannedTrial, usefulness: Iterable[int], size_of: Callable[[bytes], float]) -> None:
        self._planned = planned
        self._bytes_of_layout: dict[str, int] = {}
        order = sorted(zip(usefulness, range(len(planned.steps)), strict=True))[:_STEPS_MEASURED]
        steps = tuple(planned.steps[place] for place in sorted(place for _, place in order))
        self._directory = self._encoded = 0.0

        def add(_: int, chunk: EncodedChunk, is_json: bool) -> bool:
            if is_json:
                self._directory += size_of(chunk.base64)
            else:
                self._encoded += size_of(chunk.base64)
            return True

        with chunk_stream(add) as stream:
            add_series(stream, replace(planned, steps=steps), Reader(Workers()), _nothing)
            stream.finish()
        raw = sum(map(self._raw_bytes, steps))
        self._ratio = self._encoded / raw if raw else 0.0

    def of(self, steps: Iterable[PlannedStep]) -> float:
        """The size with these of its steps."""
        raw = sum(map(self._raw_bytes, steps))
        return self._directory + raw * self._ratio if raw else 0.0

    def _raw_bytes(self, step: PlannedStep) -> int:
        digest = step.description.layout
        if digest not in self._bytes_of_layout:
            keys = Row(self._planned.source.recording.layout(digest)).keys
            self._bytes_of_layout[digest] = sum(key.numbers * key.width + COUNTS * _COUNT_BYTES for key in keys)
        of_parameters = sum(PARAMETER_NUMBERS * len(step.parameter_positions) * _PARAMETER_BYTES[name] for name in step.parameters)
        return self._bytes_of_layout[digest] + of_parameters


def _nothing() -> None:
    """Nobody wants to know how far the measuring is."""


# What the page says of a chunk besides its content.
_BYTES_PER_CHUNK = 100


class FlowKey(NamedTuple):
    """Names a flow of a plan: the position of its trial, its step, and its position in the step's description."""

    trial: int
    step: float
    position: int


def flow_sizes(plan: Plan, stored: Callable[[bytes], int], report: Report) -> dict[FlowKey, int]:
    """Encodes every flow once, for its size; those that are damaged have none. The largest sizes come first."""
    sizes: dict[FlowKey, int] = {}
    total = sum(map(pairs_of_flows, plan.trials))
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        report(Progress("Choosing", done, total))

    for number, trial in enumerate(plan.trials):
        for step in trial.steps:
            for position in step.flows:
                alone = replace(trial, steps=(replace(step, flows=(position,)),))
                encoded: list[int] = []

                def add(_: int, chunk: EncodedChunk, __: bool, encoded: list[int] = encoded) -> bool:
                    encoded.append(stored(chunk.base64) + _BYTES_PER_CHUNK)
                    return True

                with chunk_stream(add) as stream:
                    add_flows(stream, alone, Problems(()), one_more)
                    stream.finish()
                sizes[FlowKey(number, step.description.step, position)] = sum(encoded)
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))
