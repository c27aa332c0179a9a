"""At single steps, the gradient is many times as large as in the steps before."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import loss_of_training
from comgra_export.analysis.findings.rules.steps import gradients_in_training, usual_training_steps
from comgra_export.analysis.findings.rules.weights import weights
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, TensorKey
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_Z = 6.0
_RATIO = 10.0
_ABOVE_START = 3.0
_WINDOW = 50
_LEAST_HISTORY = 20
# So many recorded steps before a spike are compared with as many after it.
_AROUND = 5
_ABOVE_NEXT = 5.0
# The deviation of a normal distribution, from its median absolute deviation.
_TO_DEVIATION = 1.4826
# A history without any noise would make every change a spike.
_LEAST_DEVIATION = 0.1


def _check(run: Run) -> Iterator[Finding]:
    steps, sizes = _gradient_sizes(run)
    if len(steps) <= _LEAST_HISTORY:
        raise NotCheckedError(
            f"gradients of only {len(steps)} training steps are known, and it needs {_LEAST_HISTORY + 1}", lacks="training steps"
        )
    logs = np.log(sizes)
    start = float(np.median(sizes[:_LEAST_HISTORY]))
    spikes = []
    for position in range(_LEAST_HISTORY, len(steps)):
        history = logs[max(0, position - _WINDOW) : position]
        middle = float(np.median(history))
        deviation = max(_TO_DEVIATION * float(np.median(np.abs(history - middle))), _LEAST_DEVIATION)
        ratio = float(np.exp(logs[position] - middle))
        if (logs[position] - middle) / deviation > _Z and ratio > _RATIO and sizes[position] > _ABOVE_START * start:
            following = sizes[position + 1 : position + 1 + _AROUND]
            # Gradients grow and stay large when a network leaves a plateau and begins to learn.
            stays = len(following) == _AROUND and sizes[position] < _ABOVE_NEXT * float(np.median(following))
            if not (stays and _falls_on(run, as_step(steps[position]))):
                spikes.append((ratio, as_step(steps[position])))
    if not spikes:
        return
    ratio, step = max(spikes)
    largest = _largest_at(run, step)
    is_harmless = len(spikes) == 1 and _falls_on(run, step)
    others = f" There are {len(spikes)} such steps." if len(spikes) > 1 else " The loss goes on falling." if is_harmless else ""
    yield RULE.finding(
        f"At {step_in_words(step)}, the gradient is {ratio:,.0f} times as large as usual in the steps before.{others}",
        Place("run") if largest is None else Place("parameter", largest.name),
        step=min(step for _, step in spikes),
        value=ratio,
        limit=_RATIO,
        severity=Severity.INFORMATION if is_harmless else None,
        comparison=f"This is the ratio to the median of up to {_WINDOW} steps before.",
        evidence=() if largest is None else (Evidence(run.gradient_groups[0], *largest, step, "abs_max", "The gradient over the steps."),),
    )


def _falls_on(run: Run, step: float) -> bool:
    """Whether the loss of the recorded steps after a step is lower than before it. Not so if it is not known."""
    known = loss_of_training(run)
    if known is None:
        return False
    steps, values = known
    before, after = values[steps < step][-_AROUND:], values[steps > step][:_AROUND]
    return len(before) == len(after) == _AROUND and bool(np.median(after) < np.median(before))


def _gradient_sizes(run: Run) -> tuple[Floats, Floats]:
    """The size of the gradient of all weights per training step: their largest magnitude if every step was checked, else their norm."""
    names = set(weights(run))
    checked = {}
    for point in run.recording.sentinel_points:
        of_weights = [
            value for (group, name, _), value in zip(point.tensors, point.largest, strict=True) if group != FORWARD and name in names
        ]
        if of_weights and all(map(isfinite, of_weights)) and max(of_weights) > 0:
            checked[point.step] = max(of_weights)
    if len(checked) > usual_training_steps(run).sum():
        return np.array(list(checked), np.float64), np.array(list(checked.values()), np.float64)
    squares = np.zeros(len(run.steps))
    for name in names:
        series = gradients_in_training(run, TensorKey(name, -1))
        if series is not None:
            squares[series.positions] += series.norm**2
    known = np.isfinite(squares) & (squares > 0)
    return run.numbers[known], np.sqrt(squares[known])


def _largest_at(run: Run, step: float) -> TensorKey | None:
    """The weight with the largest gradient in a recorded step."""
    sizes = {}
    for name in weights(run):
        series = run.gradients(TensorKey(name, -1))
        if series is not None:
            for norm in series.norm[series.steps == step].tolist():
                if isfinite(norm):
                    sizes[series.key.tensor] = norm
    return max(sizes, key=sizes.__getitem__, default=None)


RULE = Rule(
    name="gradient-spike",
    title="The gradient of single steps is many times as large as usual",
    severity=Severity.SYMPTOM,
    formula="robust z of the logarithm of the gradient's size over up to 50 steps before > 6, more than 10 times their median, and more "
    "than 3 times the median of the first 20 steps. If the median loss of the 5 recorded steps after it is lower than that of the 5 before "
    "it, a single such step is information, and one of less than 5 times the gradients after it is none",
    source="ZClip (z 2.5); own trials: z 6 alone marks 2 of 600 clean steps",
    needs="gradients of 21 training steps",
    advice=(
        "Look at the samples of that step.",
        "Clip the norm of the gradients.",
        "Check whether the learning rate rises too fast.",
    ),
    wrong_if="The gradient is as large in many of the steps that were not recorded.",
    check=_check,
    neighbours=("loss", "prediction", "target"),
    thresholds=(
        Threshold("robust z", _Z, "own trials"),
        Threshold("ratio to the median", _RATIO, "own choice"),
        Threshold("ratio to the start", _ABOVE_START, "own choice"),
        Threshold("ratio to the 5 steps after it, if the loss falls", _ABOVE_NEXT, "own choice"),
    ),
    explains=(Explains("diverging-loss"), Explains("oscillating-loss")),
    priority=5,
)
