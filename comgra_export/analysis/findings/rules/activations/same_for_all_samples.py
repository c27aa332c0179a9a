"""A tensor is the same for all samples: it carries no information about the input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.codes_of_noise import LEFT, SHARE_OF_CODE, CodeOfNoise, codes_of_noise
from comgra_export.analysis.findings.rules.activations.layers import is_inside_network, is_output_of_network, of_linear_layers
from comgra_export.analysis.findings.rules.operations import is_view
from comgra_export.analysis.findings.rules.steps import late, require_training_steps, training_graph, values_in_training
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_RELATIVE = 1e-3
_OF_START = 0.05
_ABSOLUTE = 0.1
_LATE = 0.4


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    known = {
        key: series
        for key, entry in run.of_type("input", "calculated").items()
        # Choices that a network is sure of are the same for all samples without harm.
        if key.iteration >= 0
        and entry.batch_dimension is not None
        and (entry.type == "input" or entry.is_floating)
        and (series := values_in_training(run, key)) is not None
        if (series.samples > 1).all()
    }
    if not known:
        raise NotCheckedError("no tensor with several samples was recorded")
    varying = {key for key, series in known.items() if series.entry.type == "input" and _relative(series) >= _RELATIVE}
    graph = training_graph(run)
    informed = [
        key
        for key, series in known.items()
        if series.entry.type != "input" and is_inside_network(run, key) and varying.intersection(graph.ancestors(key))
    ]
    collapsed = {key for key in informed if _relative(known[key]) < _RELATIVE}
    layers = of_linear_layers(run)
    roots = [key for key in collapsed if not collapsed.intersection(graph.parents.get(key, ()))]
    sure = [key for key in roots if key in layers or known[key].values_per_sample == 1 or _passes_on(run, key, collapsed)]
    if sure:
        first = min(sure, key=lambda key: graph.depth[key])
        differing = [parent for parent in graph.parents.get(first, ()) if parent in known and _relative(known[parent]) >= _RELATIVE]
        yield _collapsed(sorted(sure, key=lambda key: graph.depth[key]), known, differing)
    drowned = [each for each in codes_of_noise(run) if not collapsed.intersection(each.sources)]
    yield from map(_drowned, drowned[:1])
    of_noise = {source for each in drowned for source in each.sources}
    shrunk = [
        key
        for key in informed
        if key in layers and key not in collapsed | of_noise and _has_shrunk(known[key]) and not is_output_of_network(run, key)
    ]
    if shrunk:
        yield _shrunk(sorted(shrunk, key=lambda key: graph.depth[key]), known)


def _relative(series: Series) -> float:
    """The median over late steps of how much samples differ, relative to the size of the values. Infinite if it is not known."""
    last = late(series, _LATE)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = last.deviation_over_batch / last.root_mean_square
    finite = ratios[np.isfinite(ratios)]
    return float(np.median(finite)) if len(finite) else float("inf")


def _passes_on(run: Run, key: TensorKey, collapsed: set[TensorKey]) -> bool:
    """Whether what is computed from a tensor alone is the same for all samples too.

    Statistics of samples may agree although the samples do not, as those of one-hot vectors do. What is computed from them then differs.
    A view has the same values, and shows nothing.
    """
    graph = training_graph(run)
    waiting, computed = [key], set()
    while waiting:
        source = waiting.pop()
        for child in graph.children.get(source, ()):
            if any(parent != source and parent.iteration >= 0 for parent in graph.parents[child]):
                continue
            if child in run.tensors and is_view(run.tensors[child].operation):
                waiting.append(child)
            else:
                computed.add(child)
    return bool(collapsed & computed)


def _has_shrunk(series: Series) -> bool:
    deviation = series.deviation_over_batch
    start, end = float(deviation[0]), float(np.median(late(series, _LATE).deviation_over_batch))
    return end < min(_OF_START * start, _ABSOLUTE)


def _collapsed(keys: list[TensorKey], known: dict[TensorKey, Series], differing: list[TensorKey]) -> Finding:
    """The finding. `differing` are tensors that the first one is computed from, and that are not the same for all samples."""
    first = keys[0]
    series = known[first]
    differ = "differs" if len(differing) == 1 else "differ"
    begin = f" {names_of([key.name for key in differing])}, from which it is computed, {differ} between samples." if differing else ""
    # If a normalization makes everything 0, what differs at first is rounding.
    size = np.maximum(series.root_mean_square, float(np.median(late(series, _LATE).root_mean_square)))
    ratios = series.deviation_over_batch / np.maximum(size, np.finfo(np.float32).tiny)
    step = as_step(series.steps[np.argmax(ratios < _RELATIVE)])
    return RULE.finding(
        f"`{first.name}` is the same for all samples: they differ by {_relative(series):.1g} of its size.{begin}",
        *(Place("tensor", *key) for key in dict.fromkeys((*keys, *differing))),
        step=step,
        value=max(_relative(series), 1e-9),
        limit=_RELATIVE,
        comparison="Healthy runs have at least 0.12, as the mean over units.",
        evidence=(Evidence(FORWARD, *first, step, None, "The samples at that step."),),
    )


def _drowned(each: CodeOfNoise) -> Finding:
    sources = names_of([key.name for key in each.sources])
    return RULE.finding(
        f"Samples differ by {each.of_code:.2g} in `{each.code.name}`, and at most by {each.end:.2g} in {sources}, from which it is "
        f"computed. Once, they differed by {each.start:.2g} there. What is left is noise, so nothing of the input passes. In a VAE, the "
        "divergence outweighs the reconstruction then.",
        *(Place("tensor", *key) for key in (*each.sources, each.code)),
        step=as_step(each.step),
        value=max(each.end / each.of_code, 1e-9),
        limit=SHARE_OF_CODE,
        comparison="This is the ratio of the two.",
        evidence=(Evidence(FORWARD, *each.sources[0], as_step(each.step), "std", "What is computed before the noise, over the steps."),),
    )


def _shrunk(keys: list[TensorKey], known: dict[TensorKey, Series]) -> Finding:
    first = keys[0]
    series = known[first]
    deviation = series.deviation_over_batch
    end = float(np.median(late(series, _LATE).deviation_over_batch))
    step = as_step(series.steps[np.argmax(deviation < _OF_START * deviation[0])])
    return RULE.finding(
        f"The samples in `{first.name}` differ by {end:.2g} at the end, and by {deviation[0]:.2g} at the start. "
        "It looks as if it no longer carries information about the input.",
        *(Place("tensor", *key) for key in keys),
        step=step,
        value=max(end, 1e-9),
        limit=_OF_START * float(deviation[0]),
        comparison=f"At the start, it is {deviation[0]:.2g}.",
        evidence=(Evidence(FORWARD, *first, step, "std", "The standard deviation over the steps."),),
        severity=Severity.SYMPTOM,
    )


RULE = Rule(
    name="same-for-all-samples",
    title="A tensor is the same for all samples",
    severity=Severity.PROBLEM,
    formula="largest deviation over the batch of a statistic of samples / rms < 0.001, the median over late steps; a symptom: for a linear "
    "layer, < 5 % of that of the first step and < 0.1. Only after an input that differs between samples, not for integers. Or the "
    "operands of a sum fall below 5 % of it and 20 % of their largest",
    source="own trials; Burda et al. 2016 (variance 0.01 of active units)",
    needs="tensors with several samples, in 5 training steps",
    advice=(
        "Look for dead units and zero weights before this tensor.",
        "Lower the weight of a regularization that pulls it to a constant (such as the KL term of a VAE).",
        "Lower the learning rate.",
    ),
    wrong_if="The values of two samples differ by more than rounding.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(
        Threshold("deviation over the batch, relative to the values", _RELATIVE, "own trials"),
        Threshold("deviation relative to the start", _OF_START, "own trials"),
        Threshold("operands of a code of noise, relative to the code", SHARE_OF_CODE, "own choice; a code of which 5 % is the input"),
        Threshold("the same, relative to the largest that they had", LEFT, "own choice"),
        Threshold("deviation", _ABSOLUTE, "Burda et al. 2016"),
    ),
    explains=(
        Explains("same-for-all-tokens", "downstream"),
        # A unit is on for all samples or off for all.
        Explains("dead-relu", "upstream"),
        Explains("dead-relu", "downstream"),
        Explains("dormant-units", "upstream"),
        Explains("dormant-units", "downstream"),
        Explains("zero-gradient", "upstream"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
    ),
    priority=5,
)
