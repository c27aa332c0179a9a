"""All tokens of a sample are almost the same vector."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

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
    tokens = {key: entry for key, entry in run.of_type("input", "calculated").items() if _has_tokens(entry)}
    known = {
        key: values for key in tokens if len(values := _cosines(run, key) if tokens[key].values_count else _recorded_cosines(run, key))
    }
    if not known:
        raise NotCheckedError("no tensor with tokens (batch, tokens, at least 16 features) was recorded", applies=False)
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
        and (entry.values_count > 0 or entry.histogram)
    )


def _recorded_cosines(run: Run, key: TensorKey) -> Floats:
    """The mean cosine between the tokens of the first samples, in up to ten late steps; 0 where the recorder found them to differ.

    Only for tensors that say something of each token of a prediction. What has a way around it does not count.
    """
    series = values_in_training(run, key)
    late = [] if series is None else series.positions[len(series) // 2 :][-_MOST_STEPS:].tolist()
    of_steps = [{TensorKey(*fact.tensor): fact.cosine for fact in run.steps[position].token_facts} for position in late]
    if not any(key in of_step for of_step in of_steps) or not _decides_on_tokens(run, key, set().union(*of_steps)):
        return np.zeros(len(late))
    return np.array([of_step.get(key, 0.0) for of_step in of_steps])


def _decides_on_tokens(run: Run, key: TensorKey, equal: set[TensorKey]) -> bool:
    """Whether a prediction is computed from a tensor whose target has values for each token, and all on the way has equal tokens too."""
    graph = training_graph(run)
    behind = graph.descendants(key)
    decided = {
        TensorKey(*call.prediction)
        for step in run.steps
        for call in step.losses
        if call.prediction is not None and call.target is not None and _is_for_each_token(run, TensorKey(*call.target), key)
    } & behind
    on_the_way = behind & frozenset().union(*map(graph.ancestors, decided))
    return bool(decided) and all(other in equal for other in on_the_way if other in run.tensors and _has_tokens(run.tensors[other]))


def _is_for_each_token(run: Run, target: TensorKey, key: TensorKey) -> bool:
    entry = run.tensors.get(target)
    batch, tokens, _ = run.tensors[key].shape
    return entry is not None and prod(entry.shape) > 0 and prod(entry.shape) % (batch * tokens) == 0


def _cosines(run: Run, key: TensorKey) -> Floats:
    """The mean cosine between the tokens of a sample, in up to ten late steps."""
    series = values_in_training(run, key)
    cosines = []
    for position in [] if series is None else series.positions[len(series) // 2 :][-_MOST_STEPS:].tolist():
        place = run.places(position).get(RecordKey(FORWARD, key))
        # A merged step has no values of samples.
        if place is not None and place.entry.values_count and _has_tokens(place.entry) and isinstance(run.recording, Recording):
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
    formula="mean cosine between the tokens of a sample > 0.99, in half of the late steps or more. Without values: only if a target has "
    "values for each token, and all on the way to its prediction has equal tokens",
    source="Dong et al. 2021; own trials: healthy runs have at most 0.957",
    needs="tensors with tokens, in 5 training steps",
    advice=("Add residual connections around attention.", "Check that positions are encoded.", "Add normalization."),
    wrong_if="The output changes when two tokens are exchanged.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(Threshold("mean cosine", _COSINE, "own trials"),),
    explains=(Explains("predictions-ignore-input"), Explains("loss-does-not-fall")),
    priority=4,
)
