"""All tokens of a sample are almost the same vector."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.steps import require_training_steps, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, RecordKey, TensorKey
from comgra_export.storage import Recording, TensorEntry
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_COSINE = 0.99
_SHARE_OF_STEPS = 0.5
_LEAST_TOKENS = 4
_LEAST_SIZE = 16
_MOST_STEPS = 10
_COPIES = ("Expand", "Repeat")


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    cosines = {key: _cosines(run, key) for key, entry in run.of_type("input", "calculated").items() if _has_tokens(entry)}
    known = {key: values for key, values in cosines.items() if len(values)}
    if not known:
        raise NotCheckedError("no values of a tensor with tokens (batch, tokens, at least 16 features) were recorded")
    graph = training_graph(run)
    equal = [key for key, values in known.items() if np.mean(values > _COSINE) >= _SHARE_OF_STEPS]
    # What is made of equal tokens, or of copies, has equal tokens by design.
    roots = [key for key in equal if not graph.ancestors(key).intersection(equal) and run.tensors[key].type != "input"]
    for key in sorted(roots, key=lambda key: graph.depth.get(key, 0))[:1]:
        entry = run.tensors[key]
        if any(word in (entry.operation or "") for word in _COPIES):
            continue
        step = as_step(run.numbers[-1]) if run.values(key) is None else as_step(run.values(key).steps[-1])  # type: ignore[union-attr]
        yield RULE.finding(
            f"All {entry.shape[1]} tokens of a sample are almost the same in `{key.name}`: their mean cosine is "
            f"{np.median(known[key]):.4f}.",
            Place("tensor", *key),
            step=step,
            value=float(np.median(known[key])),
            limit=_COSINE,
            comparison="Healthy runs have at most 0.957.",
            evidence=(Evidence(FORWARD, *key, step, None, "The values of the tokens."),),
        )


def _has_tokens(entry: TensorEntry) -> bool:
    return (
        entry.iteration >= 0
        and len(entry.shape) == 3
        and entry.batch_dimension == 0
        and entry.shape[1] >= _LEAST_TOKENS
        and entry.shape[2] >= _LEAST_SIZE
        and entry.values_count > 0
    )


def _cosines(run: Run, key: TensorKey) -> Floats:
    """The mean cosine between the tokens of a sample, in up to ten late steps."""
    series = values_in_training(run, key)
    cosines = []
    for position in [] if series is None else series.positions[len(series) // 2 :][-_MOST_STEPS:].tolist():
        place = run.places(position).get(RecordKey(FORWARD, key))
        # A merged step has no values of samples.
        if place is not None and _has_tokens(place.entry) and isinstance(run.recording, Recording):
            (values,) = run.recording.values(run.steps[position].step, [place])
            cosines.append(_mean_cosine(values.astype(np.float64).reshape(place.entry.samples, *place.entry.shape[1:])))
    finite = np.array(cosines, np.float64)
    return finite[np.isfinite(finite)]


def _mean_cosine(values: Floats) -> float:
    """The mean over samples and pairs of different tokens, `[S, T, D]`. NaN if a token is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        units = values / np.linalg.norm(values, axis=2, keepdims=True)
    count = values.shape[1]
    total = (units.sum(axis=1) ** 2).sum(axis=1) - count
    return float((total / (count * (count - 1))).mean())


RULE = Rule(
    name="same-for-all-tokens",
    title="All tokens are almost the same",
    severity=Severity.PROBLEM,
    formula="mean cosine between the tokens of a recorded sample > 0.99, in half of the late steps or more",
    source="Dong et al. 2021; own trials: healthy runs have at most 0.957",
    needs="values of tensors with tokens, in 5 training steps",
    advice=("Add residual connections around attention.", "Check that positions are encoded.", "Add normalization."),
    wrong_if="The output changes when two tokens are exchanged.",
    check=_check,
    thresholds=(Threshold("mean cosine", _COSINE, "own trials"),),
    explains=(Explains("predictions-ignore-input"), Explains("loss-does-not-fall")),
    priority=4,
)
