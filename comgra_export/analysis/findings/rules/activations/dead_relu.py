"""Units of a ReLU return zero for every sample: they pass no gradient, and hardly ever come back.

If single units are not recorded, the bias of the layer before the ReLU shows them: the gradient of a unit's bias is exactly zero in each
step in which the unit is zero for all samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.activations.codes_of_noise import codes_of_noise
from comgra_export.analysis.findings.rules.activations.layers import of_linear_layers, of_operations
from comgra_export.analysis.findings.rules.activations.units import unit_count, unit_values
from comgra_export.analysis.findings.rules.operations import is_view, plain_name
from comgra_export.analysis.findings.rules.steps import gradients_in_training, require_training_steps, training_graph, values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, Series, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = 0.7
_SHARE_OF_FEW = 0.75
_WINDOW = 20
_LEAST_STEPS = 3
_MANY_VALUES = 500
_LEAST_SAMPLES = 64
_LEAST_BATCH = 16
_LEAST_UNITS = 8
_OPERATIONS = ("ReluBackward0", "HardtanhBackward0", "ThresholdBackward0")


class _Dead(NamedTuple):
    share: float
    limit: float
    units: int
    steps: Floats
    """In which steps."""
    is_whole_run: bool

    @property
    def is_dead(self) -> bool:
        """Whether the share is above its limit. Very few units must all be dead: each may be off for all samples by chance."""
        return self.share > self.limit and (self.units >= _LEAST_UNITS or self.share == 1)


def _check(run: Run) -> Iterator[Finding]:
    relus, hidden = of_operations(run, *_OPERATIONS), _behind_hidden_relus(run)
    if not relus and not hidden:
        raise NotCheckedError(
            "no result of a ReLU was recorded; if there is one, register its result, or use `torch.nn.ReLU`", applies=False
        )
    require_training_steps(run)
    measured = {key: known for key in relus if (known := _dead_share(run, key)) is not None}
    # Single units say little about what was pooled.
    pooled = {key: known for key in hidden if (known := _dead_share(run, key)) is not None and known.share == 1}
    measured |= pooled
    if not measured and not hidden:
        raise NotCheckedError("no statistics of single units were recorded over enough samples")
    graph = training_graph(run)
    depth = graph.depth
    # What feeds a code that is given up dies of that.
    unneeded = {key for each in codes_of_noise(run) for source in each.sources for key in graph.ancestors(source)}
    dead = sorted((key for key, each in measured.items() if each.is_dead and key not in unneeded), key=lambda key: depth.get(key, 0))
    if not dead:
        return
    first = dead[0]
    share, limit, units, steps, is_whole_run = measured[first]
    since = as_step(steps[0])
    when = f"each of the {len(steps)} recorded training steps" if is_whole_run else f"each of the last {len(steps)} recorded training steps"
    others = f" {len(dead)} tensors are like that." if len(dead) > 1 else ""
    which = "All units" if share == 1 else f"{share:.0%} of the {units} units"
    before = _zeros_before(run, first, steps) if share == 1 else []
    begin = f" So is `{before[0].name}`, from which it is computed." if before else ""
    yield RULE.finding(
        f"{which} of `{first.name}` are zero for every sample in {when}.{begin}{others}",
        *(Place("tensor", *key) for key in dict.fromkeys((*before, *_with_layers(run, dead)))),
        step=since,
        value=share,
        limit=limit,
        comparison="Healthy runs have at most 0.59.",
        evidence=(Evidence(FORWARD, *first, since, "abs_mean", "The mean magnitude over the steps."),),
    )


def _behind_hidden_relus(run: Run) -> list[TensorKey]:
    """What is zero everywhere at the end although a layer before it is negative everywhere: a ReLU that is not recorded is in between.

    Its result was pooled or viewed before the next module took it.
    """
    graph, layers = training_graph(run), of_linear_layers(run)
    behind = []
    for key, entry in run.of_type("calculated").items():
        parents = graph.parents.get(key, ())
        is_simple = is_view(entry.operation) or "pool" in plain_name(entry.operation)
        if key.iteration < 0 or not is_simple or len(parents) != 1 or parents[0] not in layers:
            continue
        before, after = values_in_training(run, parents[0]), values_in_training(run, key)
        if before is not None and after is not None and np.array_equal(before.steps, after.steps):
            is_cut = (before.extrema[:, 1] < 0) & (after.largest_magnitude == 0)
            if is_cut[-_LEAST_STEPS:].all() and len(is_cut) >= _LEAST_STEPS:
                behind.append(key)
    return behind


def _with_layers(run: Run, keys: list[TensorKey]) -> list[TensorKey]:
    """Some tensors; before one that no module of its own returned, the layer that it is computed from."""
    graph, layers = training_graph(run), of_linear_layers(run)
    places: list[TensorKey] = []
    for key in keys:
        parents = graph.parents.get(key, ())
        if "input" in run.tensors[key].role and len(parents) == 1 and parents[0] in layers:
            places.append(parents[0])
        places.append(key)
    return places


def _zeros_before(run: Run, key: TensorKey, steps: Floats) -> list[TensorKey]:
    """What a tensor is computed from and is zero everywhere too, the first such tensor first: then nothing died in the ReLU."""
    graph = training_graph(run)
    zeros: list[TensorKey] = []
    waiting: list[TensorKey] = [key]
    while waiting:
        for parent in graph.parents.get(waiting.pop(), ()):
            series = values_in_training(run, parent) if parent.iteration >= 0 and parent not in zeros else None
            here = None if series is None else series.at(np.isin(series.steps, steps))
            if here is not None and len(here) and bool((here.largest_magnitude == 0).all()):
                zeros.append(parent)
                waiting.append(parent)
    return sorted(zeros, key=lambda zero: graph.depth.get(zero, 0))


def _dead_share(run: Run, key: TensorKey) -> _Dead | None:
    """The share of units that are zero in all of the last steps; None if that is not known."""
    series = values_in_training(run, key)
    if series is None:
        return None
    steps = min(_WINDOW, max((len(series) + 1) // 2, _LEAST_STEPS))
    last = series.at(np.arange(len(series)) >= len(series) - steps)
    units = unit_count(series.entry)
    if last.samples.sum() < _LEAST_SAMPLES or not units:
        return None
    limit = _SHARE if last.sizes.sum() >= _MANY_VALUES * units else _SHARE_OF_FEW
    if (last.largest_magnitude == 0).all():
        steps_at_zero = series.steps[_first_at_zero(series) :]
        return _Dead(1.0, limit, units, steps_at_zero, len(steps_at_zero) == len(series))
    largest = [unit_values(run, key, position) for position in last.positions.tolist()]
    known = [each.largest_magnitude for each in largest if each is not None]
    if len(known) == len(last) and len({len(each) for each in known}) == 1:
        return _Dead(float((np.max(known, axis=0) == 0).mean()), limit, units, last.steps, len(last) == len(series))
    share = _share_without_gradient(run, key, last, units)
    # It counts units that are zero in single steps, and not in all of them, so it must be larger.
    return None if share is None else _Dead(share, _SHARE_OF_FEW, units, last.steps, len(last) == len(series))


def _share_without_gradient(run: Run, key: TensorKey, series: Series, units: int) -> float | None:
    """The least share, over some steps, of units whose bias before a ReLU has a gradient of zero; None if there is no such bias.

    If all biases have none, the reason may be behind the ReLU: that says nothing about it.
    """
    parents = training_graph(run).parents.get(key, ())
    module = run.tensors[parents[0]].module if len(parents) == 1 and parents[0] in run.tensors else None
    gradient = None if module is None else gradients_in_training(run, TensorKey(f"{module}.bias", -1))
    if gradient is None or gradient.entry.shape != (units,) or (series.samples < _LEAST_BATCH).any():
        return None
    own = gradient.at(np.isin(gradient.positions, series.positions))
    if len(own) < len(series) or (own.zero_share == 1).any():
        return None
    return float(own.zero_share.min())


def _first_at_zero(series: Series) -> int:
    """The first position from which on all values are zero."""
    alive = np.flatnonzero(series.largest_magnitude != 0)
    return int(alive[-1]) + 1 if len(alive) else 0


RULE = Rule(
    name="dead-relu",
    title="Units of a ReLU are dead",
    severity=Severity.PROBLEM,
    formula="share of units whose largest magnitude is 0 over the last half of the recorded training steps (3 to 20 steps, 64 samples "
    "together) > 70 %; > 75 % if a unit has fewer than 500 values; all of fewer than 8. Without single units: share of biases before "
    "it whose gradient is exactly 0 > 75 %. Or something pooled or viewed is zero, and the layer before it negative everywhere. Not before "
    "a code of noise",
    source="SageMaker Debugger, TheDeepChecker (50 %); own trials: healthy runs have 59 % at most",
    needs="single units of the results of ReLUs, or gradients of the biases before them, in 5 training steps",
    advice=(
        "Lower the learning rate.",
        "Check the initial biases before the ReLU.",
        "Use LeakyReLU or GELU.",
    ),
    wrong_if="Other samples make the units positive.",
    check=_check,
    neighbours=("before", "input"),
    thresholds=(
        Threshold("share of dead units", _SHARE, "own trials; SageMaker Debugger, TheDeepChecker: 0.5"),
        Threshold("share of dead units or of biases without a gradient, with few values", _SHARE_OF_FEW, "own choice"),
        Threshold("units, unless all of them are dead", _LEAST_UNITS, "own choice: by chance, 3 of 4 are off in every third such layer"),
    ),
    explains=(
        Explains("zero-gradient", "upstream"),
        Explains("zero-gradient", "downstream"),
        Explains("vanishing-gradient"),
        Explains("dormant-units", "same"),
        Explains("dormant-units", "downstream"),
        Explains("same-for-all-samples", "downstream"),
        Explains("branch-without-effect", "downstream"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
    ),
    priority=3,
)
