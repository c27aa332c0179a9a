"""The loss of each sample, from what went into a loss function."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from comgra_export.analysis.history.series import Floats

__all__ = ["FUNCTIONS", "loss_per_sample"]

FUNCTIONS = frozenset(
    {
        "cross_entropy",
        "nll_loss",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
    }
)
"""The loss functions of PyTorch whose value can be computed for each sample."""

_OF_CLASSES = frozenset({"cross_entropy", "nll_loss"})
_IGNORED = -100.0
# PyTorch does not let a logarithm be smaller.
_SMALLEST_LOGARITHM = -100.0

Options = Mapping[str, float | bool | str | None]


def loss_per_sample(function: str, options: Options, prediction: Floats, target: Floats) -> Floats | None:
    """The mean loss of each sample.

    Args:
        function: One of `FUNCTIONS`.
        options: Its options other than tensors.
        prediction: `[S, ...]`, for classes `[S, C, ...]`.
        target: `[S, ...]`: the same shape, or that without `C`.

    Returns:
        `[S]`; None if the shapes do not fit, or weights were given, whose values are not known. NaN for a sample all of whose targets are
        ignored.
    """
    # A weight is a tensor, which is not among the options.
    if any(options.get(name, "a tensor") is not None for name in _weights(function)):
        return None
    with np.errstate(all="ignore"):
        if function in _OF_CLASSES:
            return _of_classes(function, options, prediction, target)
        if prediction.shape != target.shape:
            return None
        losses = _of_numbers(function, options, prediction, target)
        return np.asarray(losses.reshape(len(losses), -1).mean(axis=1), np.float64)


def _number(options: Options, name: str, default: float) -> float:
    value = options.get(name)
    return default if value is None or isinstance(value, str) else float(value)


def _weights(function: str) -> tuple[str, ...]:
    if function == "binary_cross_entropy_with_logits":
        return "weight", "pos_weight"
    return ("weight",) if function in _OF_CLASSES or function == "binary_cross_entropy" else ()


def _of_classes(function: str, options: Options, prediction: Floats, target: Floats) -> Floats | None:
    if prediction.ndim < 2:
        return None
    logs = prediction
    if function == "cross_entropy":
        shifted = prediction - prediction.max(axis=1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    classes = logs.shape[1]
    smoothing = _number(options, "label_smoothing", 0.0)
    if target.shape == prediction.shape and function == "cross_entropy":
        shares = target * (1 - smoothing) + smoothing / classes
        losses, counted = -(shares * logs).sum(axis=1), np.ones(logs.shape[:1] + logs.shape[2:])
    elif target.shape == logs.shape[:1] + logs.shape[2:]:
        counted = (target != _number(options, "ignore_index", _IGNORED)).astype(np.float64)
        chosen = np.where(counted > 0, target, 0).astype(np.int64)
        if ((chosen < 0) | (chosen >= classes)).any():
            return None
        losses = -np.take_along_axis(logs, np.expand_dims(chosen, 1), axis=1).squeeze(1)
        losses = (1 - smoothing) * losses - smoothing * logs.mean(axis=1) if smoothing else losses
    else:
        return None
    flat, weights = losses.reshape(len(losses), -1), counted.reshape(len(losses), -1)
    mean: Floats = (np.where(weights > 0, flat, 0)).sum(axis=1) / weights.sum(axis=1)
    return mean


def _of_numbers(function: str, options: Options, prediction: Floats, target: Floats) -> Floats:
    difference = np.abs(prediction - target)
    if function == "mse_loss":
        return np.asarray(difference**2)
    if function == "l1_loss":
        return np.asarray(difference)
    if function == "smooth_l1_loss":
        beta = _number(options, "beta", 1.0)
        return np.asarray(np.where(difference < beta, 0.5 * difference**2 / max(beta, 1e-300), difference - 0.5 * beta))
    if function == "huber_loss":
        delta = _number(options, "delta", 1.0)
        return np.asarray(np.where(difference <= delta, 0.5 * difference**2, delta * (difference - 0.5 * delta)))
    if function == "binary_cross_entropy":
        positive = np.maximum(np.log(prediction), _SMALLEST_LOGARITHM)
        negative = np.maximum(np.log1p(-prediction), _SMALLEST_LOGARITHM)
        return np.asarray(-(target * positive + (1 - target) * negative))
    # With logits, written so that a large one does not overflow.
    return np.asarray(np.maximum(prediction, 0) - prediction * target + np.log1p(np.exp(-np.abs(prediction))))
