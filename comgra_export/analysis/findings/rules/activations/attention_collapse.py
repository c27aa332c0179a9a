"""From the start, attention picks a single position.

The entropy of attention is not recorded. Its mean square is, and bounds the entropy from above: if the squares of `n` probabilities sum to
`c`, their entropy is at most that of one large probability and `n - 1` equal small ones with the same sum of squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.layers import of_operations
from comgra_export.analysis.findings.rules.steps import require_training_steps, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_ENTROPY = 0.15
_EARLY = 0.2
_LEAST_POSITIONS = 4


def _check(run: Run) -> Iterator[Finding]:
    patterns = [key for key in dict.fromkeys(_attention(run)) if run.tensors[key].shape[-1] >= _LEAST_POSITIONS]
    if not patterns:
        raise NotCheckedError("no pattern of attention over four positions or more was recorded")
    require_training_steps(run)
    for key in patterns:
        series = values_in_training(run, key)
        if series is None:
            continue
        count = series.entry.shape[-1]
        early = series.at(np.arange(len(series)) < max(1, round(_EARLY * len(series))))
        squares = float(np.median(early.root_mean_square**2)) * count
        entropy = _largest_entropy(squares, count) / log(count)
        if not entropy < _ENTROPY:
            continue
        step = int(series.steps[0])
        yield RULE.finding(
            f"{key.name} picks almost a single one of {count} positions from the start: its entropy is at most {entropy:.0%} of the "
            f"largest.",
            Place("tensor", *key),
            step=step,
            value=entropy,
            limit=_ENTROPY,
            comparison="healthy runs: at least 38 %",
            evidence=(Evidence(FORWARD, *key, step, None, "The pattern of attention."),),
        )


def _attention(run: Run) -> Iterator[TensorKey]:
    """Tensors that are known to be patterns of attention, and results of a softmax that are multiplied with a matrix."""
    for digest in dict.fromkeys(digest for step in run.steps for digest in step.calls if digest is not None):
        for port in run.recording.calls(digest).ports:
            if port.meaning == "attention" and port.record_name is not None and port.record_iteration is not None:
                key = TensorKey(port.record_name, port.record_iteration)
                if key in run.tensors:
                    yield key
    children = training_graph(run).children
    for key in of_operations(run, "SoftmaxBackward0"):
        products = [run.tensors[child].operation or "" for child in children.get(key, ()) if child in run.tensors]
        if len(run.tensors[key].shape) > 2 and any(name.startswith(("Bmm", "UnsafeView", "Matmul")) for name in products):
            yield key


def _largest_entropy(squares: float, count: int) -> float:
    """The largest entropy of `count` probabilities whose squares have a given sum."""
    if not squares < 1:
        return 0.0 if squares >= 1 else float("nan")
    spread = max(squares * count - 1, 0.0)
    large = (1 + sqrt(spread * (count - 1))) / count
    small = (1 - large) / (count - 1)
    return -sum(weight * share * log(share) for weight, share in ((1, large), (count - 1, small)) if share > 0)


RULE = Rule(
    name="attention-collapse",
    title="Attention picks a single position from the start",
    severity=Severity.PROBLEM,
    formula="largest possible entropy / log(positions) < 0.15, the median over the first 20 % of the steps; from four positions on",
    source="Zhai et al. 2023; own trials: healthy runs have 0.38 at least",
    needs="patterns of attention in 5 training steps",
    advice=(
        "Divide the products of queries and keys by the square root of their size.",
        "Normalize queries and keys.",
        "Lower the learning rate.",
    ),
    check=_check,
    thresholds=(Threshold("relative entropy", _ENTROPY, "own trials"),),
    explains=(
        Explains("vanishing-gradient", "upstream"),
        Explains("zero-gradient", "upstream"),
        Explains("same-for-all-tokens", "downstream"),
        Explains("loss-does-not-fall"),
    ),
    priority=3,
)
