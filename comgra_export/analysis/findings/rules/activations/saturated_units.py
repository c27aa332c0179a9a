"""Most values of a tanh or sigmoid are at its ends, where hardly any gradient passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.layers import feeds_product, is_inside_network, is_output_of_network, of_operations
from comgra_export.analysis.findings.rules.steps import require_training_steps, training_graph, usual_training_steps
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, RecordKey, TensorKey
from comgra_export.storage.arrays.histograms import QUANTILES
from comgra_export.storage.arrays.layout_arrays import histogram_records
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = 0.5
_ENDS = {"TanhBackward0": (-0.97, 0.97), "SigmoidBackward0": (0.03, 0.97)}
_MOST_STEPS = 10


def _check(run: Run) -> Iterator[Finding]:
    tensors = {
        key: entry
        for key, entry in of_operations(run, *_ENDS).items()
        if is_inside_network(run, key) and not is_output_of_network(run, key)
    }
    if not tensors:
        raise NotCheckedError(
            "no tanh or sigmoid was recorded between layers; if there is one, register it, or use `torch.nn.Tanh`", applies=False
        )
    require_training_steps(run)
    quantiles = _early_quantiles(run, {key for key, entry in tensors.items() if entry.histogram})
    if not quantiles:
        raise NotCheckedError("no histogram of a tanh or sigmoid was recorded")
    shares = {key: float(np.median([_share(row, *_ENDS[tensors[key].operation or ""]) for row in rows])) for key, rows in quantiles.items()}
    depth = training_graph(run).depth
    saturated = sorted((key for key, share in shares.items() if share >= _SHARE), key=lambda key: depth.get(key, 0))
    gates = [key for key in saturated if feeds_product(run, key)]
    hidden = [key for key in saturated if key not in gates]
    for keys, severity, what in ((hidden, Severity.PROBLEM, ""), (gates, Severity.SYMPTOM, ", a gate,")):
        if keys:
            first = keys[0]
            step = as_step(run.numbers[usual_training_steps(run)][0])
            low, high = _ENDS[tensors[first].operation or ""]
            yield RULE.finding(
                f"At least {shares[first]:.0%} of the values of `{first.name}`{what} are below {low} or above {high}, "
                "where hardly any gradient passes.",
                *(Place("tensor", *key) for key in keys),
                step=step,
                value=shares[first],
                limit=_SHARE,
                comparison="Healthy runs have at most 0.08 for a tanh, and 0.16 for a sigmoid.",
                evidence=(Evidence(FORWARD, *first, step, None, "The distribution of the values."),),
                severity=severity,
            )


def _early_quantiles(run: Run, keys: set[TensorKey]) -> Mapping[TensorKey, list[Floats]]:
    """The quantiles of tensors in the first third of the training steps, at most ten of these."""
    positions = np.flatnonzero(usual_training_steps(run))
    early = positions[: max(1, round(len(positions) / 3))]
    chosen = early[np.unique(np.linspace(0, len(early) - 1, _MOST_STEPS).astype(int))]
    rows: dict[TensorKey, list[Floats]] = {}
    for position in chosen.tolist():
        step = run.steps[position]
        quantiles = None
        for row, place in enumerate(histogram_records(run.recording.layout(step.layout))):
            key = RecordKey(place.group, TensorKey(place.entry.name, place.entry.iteration))
            if key.group == FORWARD and key.tensor in keys:
                quantiles = run.recording.histograms(step.step).quantiles if quantiles is None else quantiles
                rows.setdefault(key.tensor, []).append(quantiles[row])
    return rows


def _share(quantiles: Floats, low: float, high: float) -> float:
    """The least share of values beyond two limits that the quantiles prove."""
    levels = np.array(QUANTILES)
    below, above = levels[quantiles <= low], levels[quantiles >= high]
    return float(below.max(initial=0.0) + (1 - above.min(initial=1.0)))


RULE = Rule(
    name="saturated-units",
    title="Tanh or sigmoid units are saturated",
    severity=Severity.PROBLEM,
    formula="share of values beyond +-0.97 (tanh), below 0.03 or above 0.97 (sigmoid) >= 50 %, the median over the first third of the "
    "steps, as far as the quantiles of the values prove it; not for outputs of the network",
    source="A. Karpathy's lectures (0.97); own trials: healthy runs have at most 16 %; SageMaker Debugger, DeepDiagnosis (50 %)",
    needs="histograms of watched modules in 5 training steps",
    advice=(
        "Initialize the weights before it smaller (Xavier).",
        "Normalize the inputs of the layer.",
        "Use ReLU or GELU between layers.",
    ),
    wrong_if="The inputs of the activation lie between -2 and 2 for most samples that were not recorded.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(Threshold("share of the values", _SHARE, "SageMaker Debugger, DeepDiagnosis"),),
    explains=(
        Explains("vanishing-gradient", "upstream"),
        Explains("zero-gradient", "upstream"),
        Explains("updates-too-small"),
        Explains("loss-does-not-fall"),
    ),
    priority=3,
)
