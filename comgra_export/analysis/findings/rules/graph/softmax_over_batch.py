"""A softmax is taken over the samples of the batch."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_MEAN = Threshold("relative difference of the mean from 1 / batch size", 1e-3, "exact up to rounding")
_DEVIATION = Threshold("standard deviation over the batch of a sample's mean, relative to that mean", 1e-3, "exact up to rounding")
_LOGARITHM = Threshold("difference of the largest logarithm from that of 1 / size", 1e-2, "exact up to rounding")
# With their default settings, these take the batch as the second dimension.
_SEQUENCE_FIRST = frozenset(
    {"RNN", "LSTM", "GRU", "MultiheadAttention", "Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer"}
)


def _check(run: Run) -> Iterator[Finding]:
    names = {key: plain_name(entry.operation) for key, entry in run.tensors.items()}
    softmaxes = [(key, entry) for key, entry in run.tensors.items() if names[key] in ("softmax", "log_softmax")]
    if not softmaxes:
        raise NotCheckedError("no softmax was recorded; if there is one, register its result, or use `torch.nn.Softmax`", applies=False)
    if any(module.type in _SEQUENCE_FIRST and "batch_first=True" not in module.description for module in run.network.modules):
        raise NotCheckedError("modules of the network may take the batch as the second dimension", applies=False)
    seen = set()
    for key, entry in softmaxes:
        series = run.values(key)
        is_square = entry.shape[:1] * 2 == entry.shape[:2]
        if series is None or entry.batch_dimension != 0 or len(entry.shape) < 2 or is_square or key.name in seen:
            continue
        if names[key] == "log_softmax":
            finding = _of_logarithm(key, series)
            if finding is not None:
                seen.add(key.name)
                yield finding
            continue
        chosen = series.at((series.samples > 1) & series.is_finite)
        if not len(chosen) or not _is_over_batch(chosen).all():
            continue
        seen.add(key.name)
        deviation = float(np.median(chosen.statistics[:, 0, 2] / chosen.statistics[:, 0, 0]))
        step = as_step(chosen.steps[0])
        yield RULE.finding(
            f"`{key.name}` {list(entry.shape)} is a softmax over the {chosen.samples[0]} samples of the batch, so each sample depends "
            "on all others. The sum over a sample varies, and the sum over the batch does not.",
            Place("tensor", *key),
            step=step,
            value=deviation,
            limit=_DEVIATION.value,
            comparison="A softmax within a sample has the same sum in every sample.",
            evidence=(Evidence(FORWARD, *key, step, None, "The values sum to 1 over the batch."),),
        )


def _of_logarithm(key: TensorKey, series: Series) -> Finding | None:
    """A logarithm whose largest value is smaller than it could be if it were taken over any other dimension than that of the batch.

    The largest of n probabilities that sum to 1 is at least 1 / n. One step proves it, since the dimension is always the same.
    """
    sizes = series.entry.shape[1:]
    least = -log(max(sizes)) if min(sizes) > 0 else float("-inf")
    largest = series.extrema[:, 1]
    proofs = np.flatnonzero((series.samples > 1) & (series.nan == 0) & (largest < least - _LOGARITHM.value))
    if not len(proofs):
        return None
    step, value = as_step(series.steps[proofs[0]]), float(largest[proofs[0]])
    return RULE.finding(
        f"`{key.name}` {list(series.entry.shape)} is a log-softmax over the {series.samples[proofs[0]]} samples of the batch, so each "
        f"sample depends on all others. Its largest value is {value:.3g} in {step_in_words(step)}.",
        Place("tensor", *key),
        step=as_step(series.steps[0]),
        value=value,
        limit=least,
        comparison=f"The largest value of a log-softmax over {max(sizes)} values is {least:.3g} or more.",
        evidence=(Evidence(FORWARD, *key, step, None, "All values are below those of a log-softmax within a sample."),),
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
    formula="the mean of a softmax is 1 / batch size, and the means of its samples differ, in all recorded steps; or the largest value of "
    "a log-softmax is below -ln(n) in a step, for the sizes n of all other dimensions",
    source="exact; comgra's introduction",
    needs="names of operations, and statistics over the batch",
    advice=("Give the softmax the dimension of the classes or keys: `dim=-1`.",),
    wrong_if="The output for one sample stays the same when it is put into a batch with others.",
    check=_check,
    neighbours=("before", "caller"),
    thresholds=(_MEAN, _DEVIATION, _LOGARITHM),
    explains=(Explains("loss-does-not-fall"), Explains("predictions-ignore-input"), Explains("softmax-before-cross-entropy")),
    priority=0,
    while_training=0,
)
