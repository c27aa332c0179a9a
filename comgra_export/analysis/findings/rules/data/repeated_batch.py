"""Every recorded step trains on the same batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.data.inputs import inputs_in_training
from comgra_export.analysis.findings.rules.data.moving_batch import LEAST_PAIRS, SHARE_OF_PAIRS, moving_batch
from comgra_export.analysis.findings.rules.steps import require_training_steps, values_in_training
from comgra_export.analysis.findings.rules.wording import share_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = Threshold("share of recorded training steps with the batch of the one before", 0.9, "exact; TrainCheck: 0.5")
_ROUNDING = Threshold("difference of statistics, if samples come in another order", 1e-5, "the precision of float32")
_MORE = Threshold("samples of an evaluation / samples of the batch", 4, "own choice")
# A curve or a plane is fitted to few points, and drawn with many.
_OF_A_FUNCTION = 2
_USUAL_BATCHES = frozenset({8, *range(16, 129, 16)})


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    inputs = inputs_in_training(run)
    targets = [values_in_training(run, key) for key, entry in run.of_type("target").items() if entry.batch_dimension is not None]
    data = [*inputs.values(), *(series for series in targets if series is not None and len(series) > 1)]
    known = [series for series in data if len(series) > 1]
    if not known:
        raise NotCheckedError("no input was recorded in several training steps", lacks="inputs")
    shares = [float(_is_repeated(series).mean()) for series in known]
    key, series = max(inputs.items(), key=lambda pair: pair[1].values_per_sample)
    if not min(shares) > _SHARE.value or not any(_differs_within(each) for each in inputs.values()):
        yield from _moving(run, key, int(series.samples[-1]))
        return
    samples = int(series.samples[-1])
    is_batch = samples in _USUAL_BATCHES
    evaluated = _samples_of_evaluations(run, key)
    is_part = series.values_per_sample > _OF_A_FUNCTION and evaluated > _MORE.value * samples
    step = as_step(series.steps[np.argmax(_is_repeated(series)) + 1])
    yield RULE.finding(
        f"`{key.name}` has the same {samples} samples as in the step before, in {share_of(min(shares), 'recorded training steps')}. So "
        "have all other inputs and targets. "
        + ("It looks as if one batch is used again and again." if is_batch else "That is right if these are all samples.")
        + (f" Evaluations have {evaluated} samples at a time, so there may be more." if is_part and not is_batch else ""),
        Place("tensor", *key),
        step=step,
        value=min(shares),
        limit=_SHARE.value,
        comparison="Batches differ if there is more than one.",
        evidence=(Evidence(FORWARD, *key, step, "mean", "The input over the steps."),),
        severity=None if is_batch else Severity.SYMPTOM if is_part else Severity.INFORMATION,
    )


def _moving(run: Run, key: TensorKey, samples: int) -> Iterator[Finding]:
    """Batches that share most of their samples. Whoever learns from a stream may want that."""
    moving = moving_batch(run, key)
    if moving is None or moving.samples >= samples:
        return
    yield RULE.finding(
        f"`{key.name}` has samples of the step before, moved by {moving.samples}, in {share_of(moving.share, 'recorded steps')} that "
        f"follow one another. So {samples - moving.samples} of {samples} samples of a batch were in the one before, and few others are "
        "seen. It looks as if a batch begins at the number of the step, and not at that number times its size.",
        Place("tensor", *key),
        step=as_step(moving.step),
        value=moving.share,
        limit=SHARE_OF_PAIRS,
        comparison="Batches of an epoch have no sample in common.",
        evidence=(
            Evidence(FORWARD, *key, as_step(moving.step), None, "The samples of a step. Those of the step before are almost the same."),
        ),
        severity=Severity.SYMPTOM,
    )


def _samples_of_evaluations(run: Run, key: TensorKey) -> int:
    """The most samples of an input in a step that does not train."""
    series = run.values(key)
    evaluated = None if series is None else series.at(~run.is_training[series.positions])
    return 0 if evaluated is None or not len(evaluated) else int(evaluated.samples.max())


def _is_repeated(series: Series) -> NDArray[np.bool_]:
    """`[T - 1]`: whether a step has the same numbers as the one before, in all statistics. They do not depend on the order of samples."""
    exact = np.concatenate([series.extrema, series.counts, series.sizes[:, None], series.samples[:, None]], axis=1)
    is_same = ((exact[1:] == exact[:-1]) | (np.isnan(exact[1:]) & np.isnan(exact[:-1]))).all(axis=1)
    sums = series.statistics.reshape(len(series), -1).astype(np.float64)
    # Sums of the same numbers in another order are rounded in another way.
    size = np.nanmax(np.abs(series.extrema), axis=1, initial=0.0)[1:, None]
    with np.errstate(invalid="ignore"):  # Infinity less infinity.
        difference = np.abs(sums[1:] - sums[:-1])
    is_close = ((difference <= _ROUNDING.value * size) | (sums[1:] == sums[:-1]) | (np.isnan(sums[1:]) & np.isnan(sums[:-1]))).all(axis=1)
    repeated: NDArray[np.bool_] = is_same & is_close
    return repeated


def _differs_within(series: Series) -> bool:
    """Whether samples differ, so that another batch would have other statistics. Those of one-hot rows differ by rounding alone."""
    return bool((series.deviation_over_batch > _ROUNDING.value * series.root_mean_square).any())


RULE = Rule(
    name="repeated-batch",
    title="Every step trains on the same batch",
    severity=Severity.PROBLEM,
    formula="all statistics of all inputs and targets are those of the step before in more than 90 % of the recorded training "
    "steps, up to rounding. Information, unless the batch has 8, or up to 128 and a multiple of 16, samples, since small "
    "data sets are used as a whole; a symptom if evaluations have over 4 times as many. Also a symptom: the first recorded samples are "
    "those of the step before, moved by a few places, in 90 % of pairs of steps. Neither if all samples have equal statistics, as one-hot "
    "rows have",
    source="TrainCheck, Stack Overflow 67180955",
    needs="inputs with several samples in 5 training steps",
    advice=(
        "Take the next batch in each step: `next(iter(loader))` always gives the first.",
        "Check whether a seed is set within the loop.",
        "Slice by hand as `data[i * size : (i + 1) * size]`. Mute this rule if the network is to learn a single batch.",
    ),
    wrong_if="Samples of two steps differ.",
    check=_check,
    neighbours=("target",),
    thresholds=(
        _SHARE,
        _ROUNDING,
        _MORE,
        Threshold("share of pairs of steps whose batches move by as many samples", SHARE_OF_PAIRS, "exact; as for equal batches"),
        Threshold("pairs of steps that follow one another", LEAST_PAIRS, "own choice"),
    ),
    explains=(Explains("overfitting"), Explains("predictions-ignore-input"), Explains("vanishing-gradient")),
    priority=2,
)
