"""A softmax is taken over the samples of the batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series

__all__ = ["RULE"]

_MEAN = Threshold("relative difference of the mean from 1 / batch size", 1e-3, "exact up to rounding")
_DEVIATION = Threshold("standard deviation over the batch of a sample's mean, relative to that mean", 1e-3, "exact up to rounding")
# With their default settings, these take the batch as the second dimension.
_SEQUENCE_FIRST = frozenset(
    {"RNN", "LSTM", "GRU", "MultiheadAttention", "Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer"}
)


def _check(run: Run) -> Iterator[Finding]:
    softmaxes = [(key, entry) for key, entry in run.tensors.items() if plain_name(entry.operation) == "softmax"]
    if not softmaxes:
        raise NotCheckedError("no softmax was recorded")
    if any(module.type in _SEQUENCE_FIRST and "batch_first=True" not in module.description for module in run.network.modules):
        raise NotCheckedError("modules of the network may take the batch as the second dimension")
    seen = set()
    for key, entry in softmaxes:
        series = run.values(key)
        is_square = entry.shape[:1] * 2 == entry.shape[:2]
        if series is None or entry.batch_dimension != 0 or len(entry.shape) < 2 or is_square or key.name in seen:
            continue
        chosen = series.at((series.samples > 1) & series.is_finite)
        if not len(chosen) or not _is_over_batch(chosen).all():
            continue
        seen.add(key.name)
        deviation = float(np.median(chosen.statistics[:, 0, 2] / chosen.statistics[:, 0, 0]))
        step = int(chosen.steps[0])
        yield RULE.finding(
            f"{key.name} {list(entry.shape)} is a softmax over the {chosen.samples[0]} samples of the batch, so each sample depends on all "
            "others. The sum over a sample varies, and the sum over the batch does not.",
            Place("tensor", *key),
            step=step,
            value=deviation,
            limit=_DEVIATION.value,
            comparison="A softmax within a sample has the same sum in every sample.",
            evidence=(Evidence(FORWARD, *key, step, None, "The values sum to 1 over the batch."),),
        )


def _is_over_batch(series: Series) -> NDArray[np.bool_]:
    """Per step whether the mean is that of a softmax over the batch, and samples differ in theirs."""
    mean, deviation = series.statistics[:, 0, 0].astype(np.float64), series.statistics[:, 0, 2].astype(np.float64)
    is_mean: NDArray[np.bool_] = np.abs(mean * series.samples - 1) < _MEAN.value
    return is_mean & (deviation > _DEVIATION.value * mean)


RULE = Rule(
    name="softmax-over-batch",
    title="A softmax over the samples of the batch",
    severity=Severity.BUG,
    formula="the mean of a softmax is 1 / batch size, and the means of its samples differ, in all recorded steps",
    source="exact; comgra's introduction",
    needs="names of operations, and statistics over the batch",
    advice=("Give the softmax the dimension of the classes or keys: `dim=-1`.",),
    check=_check,
    thresholds=(_MEAN, _DEVIATION),
    explains=(Explains("loss-does-not-fall"), Explains("predictions-ignore-input"), Explains("softmax-before-cross-entropy")),
    priority=0,
    while_training=0,
)
