"""What a trial has over time: curves, series, histograms."""

from __future__ import annotations

from typing import TypedDict

from comgra_export.exporter.format.constants import JsonNumber

__all__ = ["Curve", "HistogramRecords", "Histograms", "Series", "SeriesParameters", "SeriesRecords"]


class Curve(TypedDict):
    """A member of a curves chunk: the kept points of one curve, in order."""

    group: str
    name: str
    type: str
    t: list[JsonNumber]
    v: list[JsonNumber]


class SeriesRecords(TypedDict):
    """The records that a trial has over time. `group` and `name` are positions in the strings of the series.

    `items` is the number of statistics, `aggregations` how many there are of each, `steps` a position in the lists of steps. The numbers
    are in the lane of `width`, from element `start` on; the counts in that of `counts_width`, from `counts_start` on.
    """

    group: list[int]
    name: list[int]
    iteration: list[int]
    items: list[int]
    aggregations: list[int]
    steps: list[float]
    width: list[int]
    start: list[int]
    counts_width: list[int]
    counts_start: list[int]


class SeriesParameters(TypedDict):
    """What a trial has over time about its parameters, which are positions in the network.

    `steps` is a position in the lists of steps. The numbers `[3, steps]` are in the lane of `width`, from element `start` on.
    """

    parameter: list[int]
    steps: list[float]
    width: list[int]
    start: list[int]


class Series(TypedDict):
    """A series chunk: what a trial has over time. `laneW` is the first chunk of that lane, or -1."""

    strings: list[str]
    step_lists: list[list[float]]
    lane8: int
    lane4: int
    records: SeriesRecords
    parameters: SeriesParameters


class HistogramRecords(TypedDict):
    """The records of which a trial has histograms over time, each at the steps of one type of execution.

    `group`, `name` and `type` are positions in the strings, `steps` one in the lists of steps. Quantiles and extrema `[9, steps]` are in
    the lane of `width`, from element `start` on. In that of `integers_width`, from `integers_start` on, are integers `[14, steps]` and
    then, step by step, the counts of the bins, `counts` in all.
    """

    group: list[int]
    name: list[int]
    iteration: list[int]
    type: list[int]
    steps: list[float]
    width: list[int]
    start: list[int]
    integers_width: list[int]
    integers_start: list[int]
    counts: list[int]


class Histograms(TypedDict):
    """A histograms chunk: those that a trial has over time. `laneW` is the first chunk of that lane, or -1."""

    strings: list[str]
    step_lists: list[list[float]]
    lane8: int
    lane4: int
    records: HistogramRecords
