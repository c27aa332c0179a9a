"""From the start, attention picks a single position.

The entropy of attention is not recorded. The mean of the squares is, and says how many positions a row spreads over: the squares of equal
shares of `k` positions sum to `1 / k`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.layers import feeds_product, is_output_of_network, of_operations
from comgra_export.analysis.findings.rules.loss_curve import has_converged
from comgra_export.analysis.findings.rules.steps import require_training_steps, usual_training_steps, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SQUARES = 0.75
_EARLY = 0.2
_LEAST_POSITIONS = 6


def _check(run: Run) -> Iterator[Finding]:
    patterns = [key for key in dict.fromkeys(_attention(run)) if run.tensors[key].shape[-1] >= _LEAST_POSITIONS]
    if not patterns:
        raise NotCheckedError("no pattern of attention over six positions or more was recorded", applies=False)
    require_training_steps(run)
    squares = {key: value for key in patterns if (value := _early_squares(run, key)) > _SQUARES}
    if not squares:
        return
    worst = max(squares, key=squares.__getitem__)
    count = run.tensors[worst].shape[-1]
    step = as_step(run.numbers[usual_training_steps(run)][0])
    others = f" {len(squares)} patterns are like that." if len(squares) > 1 else ""
    yield RULE.finding(
        f"From the start, `{worst.name}` picks almost a single position of {count}: a row spreads over {1 / squares[worst]:.2f} of them."
        f"{others}",
        *(Place("tensor", *key) for key in [worst, *(key for key in squares if key != worst)]),
        step=step,
        severity=Severity.INFORMATION if has_converged(run) else None,
        value=squares[worst],
        limit=_SQUARES,
        comparison=f"This is the sum of the squares of a row. It is {1 / count:.2g} if a row spreads over all positions.",
        evidence=(Evidence(FORWARD, *worst, step, None, "The pattern of attention."),),
    )


def _early_squares(run: Run, key: TensorKey) -> float:
    """The sum of the squares of a row, the mean over rows and the median over the first steps; 0 if it is not known."""
    series = values_in_training(run, key)
    if series is None:
        return 0.0
    early = series.at(np.arange(len(series)) < max(1, round(_EARLY * len(series))))
    return float(np.median(early.root_mean_square**2)) * series.entry.shape[-1]


def _attention(run: Run) -> Iterator[TensorKey]:
    """Tensors that are known to be patterns of attention, and results of a softmax over the last of three dimensions, between layers."""
    for digest in dict.fromkeys(digest for step in run.steps for digest in step.calls if digest is not None):
        for port in run.recording.calls(digest).ports:
            if port.meaning == "attention" and port.record_name is not None and port.record_iteration is not None:
                key = TensorKey(port.record_name, port.record_iteration)
                if key in run.tensors:
                    yield key
    for key, entry in of_operations(run, "SoftmaxBackward0").items():
        series = values_in_training(run, key)
        if series is None or len(entry.shape) < 3 or is_output_of_network(run, key) or feeds_product(run, key):
            continue
        # Only a softmax over the last dimension has this mean.
        if np.allclose(series.mean * entry.shape[-1], 1, rtol=1e-3):
            yield key


RULE = Rule(
    name="attention-collapse",
    title="Attention picks a single position from the start",
    severity=Severity.PROBLEM,
    formula="sum of the squares of a row > 0.75, the mean over rows and the median over the first 20 % of the steps; from six positions "
    "on. Information only if the loss falls to a tenth",
    source="Zhai et al. 2023 (collapse of the entropy); the limit is an own choice",
    needs="patterns of attention in 5 training steps",
    advice=(
        "Divide the products of queries and keys by the square root of their size.",
        "Normalize queries and keys.",
        "Lower the learning rate.",
    ),
    wrong_if="The loss ends no lower after queries and keys are normalized.",
    check=_check,
    neighbours=("before", "caller"),
    thresholds=(
        Threshold("sum of the squares of a row", _SQUARES, "own choice"),
        Threshold("loss at the end / loss at the start, of which it is information", 0.1, "own choice: as for other rules"),
    ),
    explains=(
        Explains("vanishing-gradient", "upstream"),
        Explains("zero-gradient", "upstream"),
        Explains("same-for-all-tokens", "downstream"),
        Explains("loss-does-not-fall"),
    ),
    priority=3,
)
