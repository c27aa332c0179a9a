"""Inputs beside others that have the same single value in all samples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.data.inputs import inputs_in_training
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = ["LEAST_ROWS", "LEAST_SAMPLES", "OneValuedInput", "one_valued_inputs"]

LEAST_SAMPLES = 200
"""So many samples must have the value."""

LEAST_ROWS = 3
"""So many rows an embedding must have."""

_ROWS = re.compile(r"(\d+), \d+")
# A state that begins at 0 goes into a recurrent layer, and a mask into a product.
_LAYERS = frozenset({"Linear", "Conv1d", "Conv2d", "Conv3d"})


class OneValuedInput(NamedTuple):
    """An input with one value.

    Attributes:
        input: The input.
        value: Its value.
        samples: In how many samples.
        module: The first module that reads it.
        rows: Of how many rows that looks one up; 0 if it is no embedding.
    """

    input: TensorKey
    value: float
    samples: int
    module: str
    rows: int


def one_valued_inputs(run: Run) -> Iterator[OneValuedInput]:
    """The inputs that have one value in all training steps, while another input of the same call has several."""
    inputs = inputs_in_training(run)
    varying = {key.name.split(": ")[0] for key, series in inputs.items() if np.ptp(series.extrema) > 0}
    for key, series in inputs.items():
        samples = int(series.samples.sum())
        is_one = series.is_finite.all() and np.ptp(series.extrema) == 0
        if is_one and samples >= LEAST_SAMPLES and len(series) >= LEAST_STEPS and key.name.split(": ")[0] in varying:
            reader = _reader(run, key, series)
            if reader is not None:
                yield OneValuedInput(key, float(series.extrema[0, 0]), samples, *reader)


def _reader(run: Run, key: TensorKey, series: Series) -> tuple[str, int] | None:
    """The embedding, linear layer or convolution that reads an input, and the rows of the embedding; None if something else does."""
    modules = {module.name: module for module in run.network.modules}
    for child in training_graph(run).children.get(key, ()):
        entry = run.tensors.get(child)
        module = None if entry is None or entry.module is None else modules.get(entry.module)
        if entry is None or module is None:
            continue
        if series.entry.is_floating and module.type in _LAYERS:
            return module.name, 0
        rows = _ROWS.match(module.description)
        if plain_name(entry.operation) == "embedding" and rows is not None and int(rows[1]) >= LEAST_ROWS:
            return module.name, int(rows[1])
    return None
