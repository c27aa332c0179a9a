"""Rules of published detectors with their published limits, as far as a recording holds what they need.

Each is a function from a run to whether it fires. They stand beside ours in the table: on the same recordings, without guards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, Series, TensorKey

__all__ = ["PUBLISHED", "fired"]


def fired(run: Run) -> tuple[str, ...]:
    """Which of the rules fire: `TOOL: RULE`."""
    with np.errstate(all="ignore"):
        return tuple(f"{tool}: {name}" for tool, rules in PUBLISHED.items() for name, fires in rules.items() if fires(run))


# What several rules read.


def _parameter_gradients(run: Run) -> Iterator[Series]:
    for key, entry in run.tensors.items():
        series = run.gradients(key) if entry.type == "parameter" else None
        if series is not None:
            yield series.at(~series.is_absent)


def _weights(run: Run) -> Iterator[Series]:
    """Parameters with at least two dimensions."""
    for key, entry in run.tensors.items():
        series = run.values(key) if entry.type == "parameter" and len(entry.shape) >= 2 else None
        if series is not None and len(series):
            yield series


def _outputs(run: Run, *operations: str) -> Iterator[Series]:
    """Computed tensors, or those that some operations made."""
    for key, entry in run.tensors.items():
        series = run.values(key) if entry.type == "calculated" else None
        if series is not None and len(series) and (not operations or entry.operation in operations):
            yield series


def _losses(run: Run) -> Floats:
    """The first loss of each recorded training step."""
    values = []
    for position, step in enumerate(run.steps):
        result = step.losses[0].result if step.losses and run.is_training[position] else None
        series = None if result is None else run.values(TensorKey(*result))
        if series is not None:
            values += series.mean[series.positions == position].tolist()
    return np.array(values, np.float64)


def _update_ratios(run: Run) -> Iterator[Floats]:
    for history in run.parameters.values():
        if len(history.entry.shape) >= 2:
            yield history.update_ratio


def _is_not_finite(run: Run) -> bool:
    tensors = [run.values(key) for key in run.tensors] + [run.gradients(key) for key in run.tensors]
    return any(series is not None and not series.is_finite.all() for series in tensors)


def _runs_below(values: Floats, limit: float, length: int) -> bool:
    """Whether so many consecutive values are below a limit."""
    count = 0
    for value in values:
        count = count + 1 if value < limit else 0
        if count >= length:
            return True
    return False


# SageMaker Debugger, with the defaults of its documentation.


def _smd_vanishing(run: Run) -> bool:
    return any((series.absolute_mean < 1e-7).any() for series in _parameter_gradients(run))


def _smd_update_ratio(run: Run) -> bool:
    return any(((ratio > 10) | (ratio < 1e-8)).any() for ratio in _update_ratios(run))


def _smd_unchanged(run: Run) -> bool:
    return any(_runs_below(history.update_ratio, 1e-5, 3) for history in run.parameters.values())


def _smd_initialization(run: Run) -> bool:
    deviations = [series.standard_deviation[0] for series in _weights(run)]
    return bool(deviations) and max(deviations) ** 2 > 10 * min(deviations) ** 2


def _smd_all_zero(run: Run) -> bool:
    tensors = [run.values(key) for key in run.tensors] + list(_parameter_gradients(run))
    return any(series is not None and (series.zero_share == 1).any() for series in tensors)


def _smd_loss_not_decreasing(run: Run) -> bool:
    losses = _losses(run)
    return len(losses) > 1 and bool((losses[1:] > losses[:-1] * 0.999).any())


def _smd_input_images(run: Run) -> bool:
    images = [run.values(key) for key, entry in run.of_type("input").items() if len(entry.shape) == 4]
    return any(series is not None and (np.abs(series.mean) > 0.2).any() for series in images)


# AUTOTRAINER. Its rules on accuracy need a curve that scripts seldom record, so its rules on numbers alone are here.


def _norms_first_and_last(run: Run) -> tuple[Floats, Floats] | None:
    gradients = [series for series in _parameter_gradients(run) if series.dimensions >= 2 and len(series)]
    if len(gradients) < 2:
        return None
    both = np.intersect1d(gradients[0].steps, gradients[-1].steps)
    first, last = (series.norm[np.isin(series.steps, both)] for series in (gradients[0], gradients[-1]))
    return first, last


def _at_vanishing(run: Run) -> bool:
    norms = _norms_first_and_last(run)
    return norms is not None and bool(((norms[0] / norms[1] < 1e-3) & (norms[0] < 1e-4)).any())


def _at_exploding(run: Run) -> bool:
    norms = _norms_first_and_last(run)
    losses = _losses(run)
    ratio = norms is not None and bool((norms[0] / norms[1] > 70).any())
    return ratio or bool((~np.isfinite(losses) | (losses > 1e3)).any())


def _at_dying_relu(run: Run) -> bool:
    return any(bool((series.zero_share > 0.7).any()) for series in _parameter_gradients(run))


# DeepDiagnosis.


def _dd_dead(run: Run) -> bool:
    return any(bool(series.zero_share[-1] >= 0.7) for series in _outputs(run, "ReluBackward0"))


def _dd_weight_variance(run: Run) -> bool:
    return any(bool(((series.standard_deviation**2 < 1e-5) | (series.standard_deviation**2 > 10)).any()) for series in _weights(run))


def _dd_update_ratio(run: Run) -> bool:
    return any(bool(((ratio < 1e-5) | (ratio > 1e-1)).any()) for ratio in _update_ratios(run))


def _dd_out_of_range(run: Run) -> bool:
    ranges = {"SigmoidBackward0": (0, 1), "SoftmaxBackward0": (0, 1), "TanhBackward0": (-1, 1), "ReluBackward0": (0, np.inf)}
    for step in run.steps:
        for loss in step.losses:
            prediction = None if loss.prediction is None else run.tensors.get(TensorKey(*loss.prediction))
            target = None if loss.target is None else run.values(TensorKey(*loss.target))
            low, high = ranges.get("" if prediction is None else prediction.operation or "", (-np.inf, np.inf))
            if target is not None and bool(((target.extrema[:, 0] < low) | (target.extrema[:, 1] > high)).any()):
                return True
    return False


# UMLAUT.


def _um_input_range(run: Run) -> bool:
    inputs = [run.values(key) for key, entry in run.of_type("input").items() if entry.dtype.startswith(("F", "BF"))]
    return any(series is not None and bool((series.largest_magnitude > 1).any()) for series in inputs)


def _um_learning_rate(run: Run) -> bool:
    rates = [group.options.get("lr") for optimizer in run.network.optimizers or () for group in optimizer.groups]
    return any(isinstance(rate, int | float) and (rate > 0.01 or rate < 1e-7) for rate in rates)


def _um_dropout(run: Run) -> bool:
    shares = [re.search(r"p=([\d.]+)", module.description) for module in run.network.modules if module.type.startswith("Dropout")]
    return any(share is not None and float(share[1]) > 0.5 for share in shares)


PUBLISHED: Mapping[str, Mapping[str, Callable[[Run], bool]]] = {
    "SageMaker Debugger": {
        "VanishingGradient": _smd_vanishing,
        "ExplodingTensor": _is_not_finite,
        "WeightUpdateRatio": _smd_update_ratio,
        "UnchangedTensor": _smd_unchanged,
        "PoorWeightInitialization": _smd_initialization,
        "AllZero": _smd_all_zero,
        "LossNotDecreasing": _smd_loss_not_decreasing,
        "CheckInputImages": _smd_input_images,
    },
    "AUTOTRAINER": {
        "gradient vanishing": _at_vanishing,
        "gradient exploding": _at_exploding,
        "dying ReLU": _at_dying_relu,
    },
    "DeepDiagnosis": {
        "numerical error": _is_not_finite,
        "dead node": _dd_dead,
        "vanishing gradient": _smd_vanishing,
        "weight variance": _dd_weight_variance,
        "update ratio": _dd_update_ratio,
        "out of range": _dd_out_of_range,
    },
    "UMLAUT": {
        "not finite": _is_not_finite,
        "input range": _um_input_range,
        "learning rate": _um_learning_rate,
        "high dropout": _um_dropout,
    },
}
"""Per detector its rules. What a recording does not hold is left out, such as the share of units that are active."""
