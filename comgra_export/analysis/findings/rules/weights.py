"""The weights of a run: parameters with two or more dimensions. Biases and scales of normalization follow other laws."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod, sqrt

import numpy as np

from comgra_export.analysis.findings.rules.steps import usual_training_steps
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, Integers, TensorKey
from comgra_export.storage import ParameterEntry

__all__ = [
    "EVENLY_SPREAD",
    "can_be_as_initialized",
    "is_as_initialized",
    "is_random_embedding",
    "looks_trained",
    "module_type",
    "update_ratios",
    "weight_histories",
    "weights",
]

EVENLY_SPREAD = frozenset({"Linear", "Conv1d", "Conv2d", "Conv3d"})
"""The classes of layers whose weights PyTorch initializes with values that are spread evenly."""

# A parameter below this root mean square counts as zero: its relative update says nothing.
_ZERO = 1e-6
_MANY = 256
_SPREAD = 0.1
_DEVIATIONS = 3
# What `torch.randn` is multiplied with for lack of trained vectors. Nobody trains vectors that are as small as the last ones.
_DRAWN = (1.0, 0.02, 0.01)
_OFF = 0.1


def weights(run: Run) -> Mapping[str, ParameterEntry]:
    """The trainable parameters with two or more dimensions, each once, by name, without those of normalization."""
    return {
        entry.name: entry
        for entry in run.network.parameters
        if entry.requires_grad and len(entry.shape) > 1 and entry.alias_of is None and "Norm" not in module_type(run, entry)
    }


def module_type(run: Run, parameter: ParameterEntry) -> str:
    """The class of the module that a parameter belongs to."""
    modules = run.network.modules
    return modules[parameter.module].type if 0 <= parameter.module < len(modules) else ""


def weight_histories(run: Run) -> Mapping[str, ParameterHistory]:
    """What the usual training steps did to each weight, by name; weights without such a step are left out."""
    usual = usual_training_steps(run)
    histories = {}
    for name in weights(run):
        history = run.parameters.get(name)
        if history is not None and usual[history.positions].any():
            kept = usual[history.positions]
            histories[name] = ParameterHistory(
                history.entry,
                history.positions[kept],
                history.steps[kept],
                history.norm[kept],
                history.update_norm[kept],
                history.leftover[kept],
            )
    return histories


def can_be_as_initialized(run: Run, name: str) -> bool:
    """Whether `is_as_initialized` can judge a weight: it has enough values, and its module is a linear layer or a convolution."""
    entry = next((entry for entry in run.network.parameters if entry.name == name), None)
    return entry is not None and len(entry.shape) > 1 and prod(entry.shape) >= _MANY and module_type(run, entry) in EVENLY_SPREAD


def is_as_initialized(run: Run, name: str) -> bool:
    """Whether the values of a weight are those with which PyTorch initializes a linear layer or a convolution, as statistics show it.

    They are spread evenly between -b and b, for b = 1 / sqrt(inputs). Few weights that were ever trained still are.
    """
    series = run.values(TensorKey(name, -1))
    entry = next((entry for entry in run.network.parameters if entry.name == name), None)
    if series is None or entry is None or not len(series) or not can_be_as_initialized(run, name):
        return False
    bound = 1 / sqrt(prod(entry.shape[1:]))
    largest, deviation = float(series.largest_magnitude[0]), float(series.standard_deviation[0])
    return 0.95 * bound < largest <= bound * 1.0001 and abs(deviation * sqrt(3) / bound - 1) < _SPREAD


def is_random_embedding(run: Run, name: str) -> bool:
    """Whether a weight is that of an embedding with values as one draws them at random, of mean 0 and one of the usual deviations.

    PyTorch initializes embeddings with a deviation of 1. Trained vectors of words have other sizes, or are spread in another way.
    """
    series = run.values(TensorKey(name, -1))
    entry = next((entry for entry in run.network.parameters if entry.name == name), None)
    if series is None or entry is None or not len(series) or prod(entry.shape) < _MANY or module_type(run, entry) != "Embedding":
        return False
    # The mean and the deviation of n normal values differ from theirs by 1 / sqrt(n) and 1 / sqrt(2 n).
    limit = _DEVIATIONS / sqrt(prod(entry.shape))
    size = float(series.root_mean_square[0])
    return any(abs(float(series.mean[0])) < limit * usual and abs(size / usual - 1) < min(limit, _OFF) for usual in _DRAWN)


def looks_trained(run: Run, name: str) -> bool:
    """Whether a weight is known to have other values than those with which PyTorch initializes a linear layer or a convolution."""
    return can_be_as_initialized(run, name) and run.values(TensorKey(name, -1)) is not None and not is_as_initialized(run, name)


def update_ratios(history: ParameterHistory) -> tuple[Integers, Floats]:
    """The steps, and the size of the update relative to the weight in each. Steps in which the weight is all but zero are left out."""
    count = int(np.prod(history.entry.shape))
    known = (history.norm > _ZERO * np.sqrt(count)) & np.isfinite(history.update_norm) & np.isfinite(history.norm)
    return history.steps[known], history.update_ratio[known]
