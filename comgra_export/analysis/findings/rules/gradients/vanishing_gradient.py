"""Gradients get lost on their way back: early layers hardly learn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import has_converged
from comgra_export.analysis.findings.rules.steps import gradients_in_training, require_training_steps, training_graph, values_in_training
from comgra_export.analysis.findings.rules.weights import module_type, weights
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_OF_WEIGHTS, _WEIGHT = 1e-3, 1e-5
_OF_TENSORS, _TENSOR = 1e-4, 1e-7
_LEAST_PEERS = 3
# Up to rounding.
_EQUAL = 1e-6
_FADING = 1e-3


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    if has_converged(run):
        return
    keys = [TensorKey(name, -1) for name, entry in weights(run).items() if "Embedding" not in module_type(run, entry)]
    of_weights = _compare(run, _early_gradients(run, keys), _OF_WEIGHTS, _WEIGHT, "parameter")
    of_tensors = [_compare(run, _early_gradients(run, peers), _OF_TENSORS, _TENSOR, "tensor") for peers in _equal_shapes(run)]
    # They are the same gradients, seen at other places: the weights say it best.
    findings = [of_weights] if of_weights is not None else [finding for finding in of_tensors if finding is not None]
    yield from sorted(findings, key=lambda finding: finding.value or 0.0)[:1]


def _early_gradients(run: Run, keys: list[TensorKey]) -> Mapping[TensorKey, float]:
    """The median root mean square of each gradient over the first third of the steps. What is zero or not finite is left out."""
    sizes = {}
    for key in keys:
        series = gradients_in_training(run, key)
        if series is None:
            continue
        early = series.root_mean_square[: max(1, round(len(series) / 3))]
        median = float(np.median(early))
        if np.isfinite(median) and median > 0:
            sizes[key] = median
    return sizes


def _equal_shapes(run: Run) -> Iterator[list[TensorKey]]:
    """Tensors of one shape that modules of one class returned, on the way to the last of them: states, or the stream through blocks."""
    graph = training_graph(run)
    types = {module.name: module.type for module in run.network.modules}
    groups: defaultdict[tuple[str, tuple[int, ...]], list[TensorKey]] = defaultdict(list)
    for key, entry in run.of_type("calculated").items():
        if key in graph.shown and entry.batch_dimension is not None and len(entry.shape) > 1 and run.gradients(key) is not None:
            groups[types.get(entry.module or "", ""), entry.shape].append(key)
    for members in groups.values():
        last = max(members, key=graph.depth.__getitem__)
        before = graph.ancestors(last)
        yield [key for key in members if key in before or key == last]


def _after_others(run: Run, small: list[TensorKey], large: list[TensorKey]) -> set[TensorKey]:
    """What has a small gradient although something before it has a large one: nothing was lost on the way back that far.

    It may hardly matter, as what is the same for all entries of a softmax.
    """
    graph = training_graph(run)

    def uses(key: TensorKey) -> tuple[TensorKey, ...]:
        return graph.children.get(key, ()) if key.iteration < 0 else (key,)

    begins = {use for key in large for use in uses(key)}
    return {key for key in small if any(begins.intersection(graph.ancestors(use)) for use in uses(key))}


def _before_a_constant(run: Run) -> set[TensorKey]:
    """All from which a tensor was computed that is the same for all samples in every step, although they differ before it.

    Nothing about a sample can be learned there, whatever the size of gradients. Not if they differ less and less on the way, as they do
    from each layer to the next of those in which gradients vanish.
    """
    graph = training_graph(run)
    equal, fading = {}, set()
    for key, entry in run.of_type("input", "calculated").items():
        series = values_in_training(run, key) if entry.batch_dimension is not None and key in graph.shown else None
        if series is not None and (series.samples > 1).all():
            equal[key] = bool((series.deviation_over_batch <= _EQUAL * series.root_mean_square).all())
            if not equal[key] and bool((series.deviation_over_batch <= _FADING * series.root_mean_square).all()):
                fading.add(key)
    before: set[TensorKey] = set()
    for key in equal:
        ancestors = graph.ancestors(key) if equal[key] else frozenset()
        if not all(equal.get(other, True) for other in ancestors) and not ancestors & fading:
            before |= {key, *ancestors}
    return before


def _has_large_partner(key: TensorKey, sizes: Mapping[TensorKey, float], small: list[TensorKey]) -> bool:
    """Whether it is a weight of a recurrent layer whose other weight has a gradient that is not small: so much reaches this layer.

    States are near zero at first, and so is the gradient of the weight that multiplies them.
    """
    ways = (("weight_hh", "weight_ih"), ("weight_ih", "weight_hh"))
    partners = [key._replace(name=key.name.replace(own, other)) for own, other in ways if own in key.name]
    return any(partner in sizes and partner not in small for partner in partners)


def _compare(run: Run, sizes: Mapping[TensorKey, float], share: float, limit: float, kind: str) -> Finding | None:
    if len(sizes) < _LEAST_PEERS:
        return None
    order = sorted(sizes, key=sizes.__getitem__)
    largest = order[-1]
    small = [key for key in order if sizes[key] < min(share * sizes[largest], limit)]
    left_out = _after_others(run, small, [key for key in order if key not in small]) | _before_a_constant(run)
    vanished = [key for key in small if key not in left_out and not _has_large_partner(key, sizes, small)]
    if not vanished:
        return None
    worst = vanished[0]
    step = _since(run, worst, largest, share, limit)
    others = f" {len(vanished)} of {len(order)} gradients are that small." if len(vanished) > 1 else ""
    group = run.gradient_groups[0]
    return RULE.finding(
        f"The gradient of `{worst.name}` is {sizes[largest] / sizes[worst]:.3g} times smaller than that of `{largest.name}`.{others}",
        *(Place("parameter", key.name) if kind == "parameter" else Place("tensor", *key) for key in vanished),
        step=step,
        value=sizes[worst],
        limit=min(share * sizes[largest], limit),
        comparison=f"This is a root mean square. That of the gradient of `{largest.name}` is {sizes[largest]:.2g}.",
        evidence=(
            Evidence(group, *worst, step, "abs_mean", "The smallest gradient."),
            Evidence(group, *largest, step, "abs_mean", "The largest gradient, to compare."),
        ),
    )


def _since(run: Run, worst: TensorKey, largest: TensorKey, share: float, limit: float) -> float:
    """The first training step in which a gradient is that small, of those in which both are known; the first of all if it is in none."""
    first = as_step(run.numbers[run.is_training][0])
    small, large = gradients_in_training(run, worst), gradients_in_training(run, largest)
    if small is None or large is None:
        return first
    steps, in_small, in_large = np.intersect1d(small.steps, large.steps, return_indices=True)
    limits = np.minimum(share * large.root_mean_square[in_large], limit)
    vanished = steps[small.root_mean_square[in_small] < limits]
    return as_step(vanished[0]) if len(vanished) else first


RULE = Rule(
    name="vanishing-gradient",
    title="Gradients vanish on their way back",
    severity=Severity.PROBLEM,
    formula="median over the first third of the steps of rms(gradient): weights < 0.001 of the largest and < 1e-5; tensors of one shape "
    "< 0.0001 of the largest and < 1e-7. Not if the loss fell to a tenth, not if the gradient is exactly 0, and neither after something "
    "whose gradient is larger, nor beside it in a recurrent layer, nor before something that is the same for all samples, unless they "
    "differ less and less before it",
    source="own trials on 40 healthy programs: the smallest ratio is 0.010; AUTOTRAINER has 1e-3 and 1e-4",
    needs="gradients of 5 training steps",
    advice=(
        "Replace sigmoid or tanh between layers by ReLU or GELU.",
        "Add residual connections or normalization.",
        "Initialize the weights for the activation that follows (Kaiming, Xavier).",
    ),
    wrong_if="Freezing the layers with the small gradients makes the loss end higher.",
    check=_check,
    neighbours=("loss", "prediction", "target"),
    thresholds=(
        Threshold("ratio to the largest gradient of a weight", _OF_WEIGHTS, "own trials"),
        Threshold("rms of the gradient of a weight", _WEIGHT, "own trials"),
        Threshold("ratio to the largest gradient of tensors of one shape", _OF_TENSORS, "own trials"),
        Threshold("rms of the gradient of such a tensor", _TENSOR, "SageMaker Debugger"),
    ),
    explains=(
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("same-for-all-samples"),
        Explains("updates-too-small"),
        Explains("zero-gradient", "upstream"),
        Explains("weights-collapse"),
    ),
    priority=4,
)
