"""Codes of which noise is all that is left, as the code of a VAE that is given up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.activations.layers import is_inside_network, of_operations
from comgra_export.analysis.findings.rules.steps import training_graph, values_in_training
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = ["LEFT", "SHARE_OF_CODE", "CodeOfNoise", "codes_of_noise"]

SHARE_OF_CODE = 0.05
"""How much samples may differ at most in what a code of noise is computed from, if 1 is how much they differ in the code."""

LEFT = 0.2
"""How much of that is left at most, if 1 is the most that it ever was."""

_KEEPS = 0.5
_LATE = 0.4


class CodeOfNoise(NamedTuple):
    """A sum in which samples differ although they hardly differ any more in what it is computed from: noise must be drawn for it.

    Attributes:
        code: The sum.
        sources: What it is computed from, as it is recorded.
        start: The most that samples ever differed in the sources.
        end: How much they differ at the end.
        of_code: How much they differ in the code at the end.
        step: Since when they hardly differ.
    """

    code: TensorKey
    sources: tuple[TensorKey, ...]
    start: float
    end: float
    of_code: float
    step: float


@once_per_run
def codes_of_noise(run: Run) -> tuple[CodeOfNoise, ...]:
    """The sums within the network that lost what they had of the input, and kept their noise. In the order of computation."""
    graph = training_graph(run)
    measured = []
    for code in of_operations(run, "AddBackward0"):
        series = values_in_training(run, code)
        sources = tuple(key for key in graph.parents.get(code, ()) if key.iteration >= 0)
        before = {key: known for key in sources if (known := values_in_training(run, key)) is not None}
        are_calculated = len(before) == len(sources) > 0 and all(run.tensors[key].type == "calculated" for key in sources)
        if series is not None and are_calculated and is_inside_network(run, code):
            measured.append(_measure(code, series, before))
    of_noise = [each for each in measured if each is not None]
    return tuple(sorted(of_noise, key=lambda each: graph.depth.get(each.code, 0)))


def _measure(code: TensorKey, series: Series, sources: dict[TensorKey, Series]) -> CodeOfNoise | None:
    own = series.deviation_over_batch
    of_sources = [each.deviation_over_batch for each in sources.values()]
    if any(len(each) != len(own) or not np.isfinite(each).all() for each in (own, *of_sources)):
        return None
    largest = np.max(of_sources, axis=0)
    of_code, end = (float(np.median(values[-max(1, round(len(values) * _LATE)) :])) for values in (own, largest))
    start = float(largest.max())
    if not of_code > 0 or end > SHARE_OF_CODE * of_code or end > LEFT * start or of_code < _KEEPS * own[0]:
        return None
    different = np.flatnonzero(largest > SHARE_OF_CODE * of_code)
    since = min(int(different[-1]) + 1 if len(different) else 0, len(own) - 1)
    return CodeOfNoise(code, tuple(sources), start, end, of_code, float(series.steps[since]))
