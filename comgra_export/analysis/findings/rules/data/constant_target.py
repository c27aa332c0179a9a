"""All targets are the same, so a network that always predicts this one is right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.data.padding_targets import (
    SHARE_OF_PADDING,
    SHARE_OF_ZEROS,
    PaddingInTargets,
    padding_in_targets,
)
from comgra_export.analysis.findings.rules.data.shared_target import SharedTarget, shared_targets
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, LossUse, entries_of, loss_uses, moment, through_views
from comgra_export.analysis.findings.rules.operations import has_graph, plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, require_training_steps, usual_training_steps
from comgra_export.analysis.findings.rules.supervised import SUPERVISED, is_contrastive, root_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_TARGETS = Threshold("targets in the recorded steps", 200, "own choice: as for the other rules about targets")
# What a layer with weights returns. In contrastive learning, logits are similarities, and the right one may always stand first. The two
# sides of an equation are brought together by a target of 0 for their difference.
# The two tensors that these compare must come from one layer: a target of 1 also makes one network follow another.
_OF_PAIRS = frozenset({"cosine_embedding_loss"})
_PRODUCTS = frozenset({"mm", "matmul", "mul", "div", "t", "transpose", "permute"})
_LAYERS = frozenset({"addmm", "mm", "linear", "convolution", "mkldnn_convolution"})


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    uses = [use for use in loss_uses(run, SUPERVISED | _OF_PAIRS) if usual_training_steps(run)[use.position] and not _is_penalty(run, use)]
    by_layer: defaultdict[str | None, list[LossUse]] = defaultdict(list)
    for use in uses:
        by_layer[_layer_of(run, use)].append(use)
    yield from _of_pairs_in_batch(run, uses)
    yield from map(_of_padding, padding_in_targets(run, uses)[:1])
    yield from map(_of_samples, shared_targets(run, uses))
    for layer, of_layer in by_layer.items():
        classes, count = _classes(run, of_layer)
        if layer is None or len(classes) != 1 or count < _TARGETS.value or len({use.position for use in of_layer}) < LEAST_STEPS:
            continue
        first = of_layer[0]
        if classes == {first.call.options.get("ignore_index")}:
            # They are no targets. The loss is a mean over nothing, which is another finding.
            continue
        is_pair = first.call.function in _OF_PAIRS
        if is_pair and classes != {1}:
            continue
        target = TensorKey(*first.call.target) if first.call.target is not None else first.prediction
        places = (Place("tensor", *target), Place("module", layer))
        # If there are several targets, as for real and fake samples, it is the layer that they have in common.
        targets = {use.call.target.name for use in of_layer if use.call.target is not None}
        yield RULE.finding(
            f"All {count:,} recorded targets of {first.call.function} for the result of `{layer}` are {classes.pop():g}. "
            f"A network that {'returns the same' if is_pair else 'predicts this number'} for every sample is always right.",
            *(reversed(places) if len(targets) > 1 else places),
            step=first.step,
            evidence=(Evidence(FORWARD, *target, first.step, None, "The targets."),),
        )


def _of_pairs_in_batch(run: Run, uses: list[LossUse]) -> Iterator[Finding]:
    """Similarities of each sample of a batch with each other one, of which all are to be most similar to the same one."""
    compared = [use for use in uses if is_contrastive(use) and _is_square_of_products(use)]
    classes, count = _classes(run, compared)
    if len(classes) != 1 or count < _TARGETS.value or len({use.position for use in compared}) < LEAST_STEPS:
        return
    first = compared[0]
    target = TensorKey(*first.call.target) if first.call.target is not None else first.prediction
    size = first.entry.shape[0]
    yield RULE.finding(
        f"All {count:,} recorded targets of {first.call.function} for `{first.prediction.name}` are {classes.pop():g}. It is a product of "
        f"{size} by {size} values, so it seems to compare the samples of a batch. Then all samples would belong to the same one. If each "
        f"belongs to its own, the targets are 0, 1, 2 and so on.",
        Place("tensor", *target),
        Place("tensor", *first.prediction),
        step=first.step,
        evidence=(Evidence(FORWARD, *target, first.step, None, "The targets."),),
    )


def _is_square_of_products(use: LossUse) -> bool:
    """Whether a prediction is as long as wide, and was not put together of parts, as where the right one stands first."""
    return use.entry.shape[0] == use.entry.shape[1] and plain_name(use.entry.operation) in _PRODUCTS


def _of_samples(each: SharedTarget) -> Finding:
    """A target that all samples share. Only a symptom.

    A network may be meant to bring everything to one point, and a batch may be an ensemble that is compared with one observation.
    """
    where = "and is the same in all of them" if each.is_constant else "and is another one in other steps"
    return RULE.finding(
        f"All samples of a batch have the same target `{each.target.name}` of {each.use.call.function}, in each of {each.steps} recorded "
        f"steps, {where}. It looks as if it was made once and repeated for all samples.",
        Place("tensor", *each.target),
        Place("tensor", *each.use.prediction),
        step=each.use.step,
        severity=Severity.SYMPTOM,
        evidence=(Evidence(FORWARD, *each.target, each.use.step, None, "The targets of a step."),),
    )


def _of_padding(each: PaddingInTargets) -> Finding:
    return RULE.finding(
        f"{each.share:.0%} of the targets of {each.use.call.function} are 0, and as many values of `{each.input.name}` are 0 in each of "
        f"{each.steps} recorded steps. It looks like padding that the loss counts. So the network is right most of the time if it predicts "
        "0. `ignore_index=0` leaves padding out.",
        Place("tensor", *each.target),
        Place("tensor", *each.use.prediction),
        step=each.use.step,
        value=each.share,
        limit=SHARE_OF_PADDING if each.is_declared else SHARE_OF_ZEROS,
        comparison="This is the share of targets that are 0.",
        severity=None if each.is_declared else Severity.SYMPTOM,
        evidence=(Evidence(FORWARD, *each.target, each.use.step, "mean", "The mean of the targets over the steps."),),
    )


def _is_penalty(run: Run, use: LossUse) -> bool:
    """Whether it is only a term of what is minimized: a regression that keeps a code near 0, say, or a loss of pairs beside another."""
    roots = set(map(TensorKey._make, run.steps[use.position].backward_roots))
    return use.call.function in REGRESSIONS | _OF_PAIRS and root_of(run, use, roots) is None


def _layer_of(run: Run, use: LossUse) -> str | None:
    """The layer with weights that made the prediction, or None. Its calls are judged together: those for real and for fake samples, say."""
    entry = run.tensors.get(through_views(run, use.position, use.prediction))
    is_layer = entry is not None and plain_name(entry.operation) in _LAYERS and not is_contrastive(use)
    if entry is None or not is_layer or (use.call.function in _OF_PAIRS and _modules_of_pair(run, use) != [entry.module] * 2):
        return None
    return entry.module


def _modules_of_pair(run: Run, use: LossUse) -> list[str | None]:
    """The modules that made what a loss compares."""
    entries = entries_of(run, use.position)
    compared = () if use.call.result is None else run.graph(use.position).parents.get(TensorKey(*use.call.result), ())
    sources = [through_views(run, use.position, key) for key in compared if use.call.target is None or key != TensorKey(*use.call.target)]
    return [entries[key].module for key in sources if key in entries and has_graph(entries[key].operation)]


def _classes(run: Run, uses: list[LossUse]) -> tuple[set[float], int]:
    """The targets that occur, or two numbers if several do; and how many there are. None if one of the calls has no recorded target."""
    classes: set[float] = set()
    count = 0
    for use in uses:
        series = None if use.call.target is None else moment(run, TensorKey(*use.call.target), use.position)
        if series is None or not np.isfinite(series.extrema[0]).all():
            return set(), 0
        classes.update(map(float, series.extrema[0]))
        count += int(series.sizes[0])
    return classes, count


RULE = Rule(
    name="constant-target",
    title="All targets are the same",
    severity=Severity.PROBLEM,
    formula="all targets for the result of one layer, or for a square product as in contrastive learning, are one number; 200 in 5 "
    "steps; or samples of a regression share one target in each of 5 steps (a symptom), not of two values or whole "
    "numbers. No regressions that are one of several terms; cosine_embedding_loss for one layer. Or >= 30 % are 0, as many as "
    "inputs are padding (60 %, a symptom, without `padding_idx`)",
    source="exact; SageMaker Debugger (ClassImbalance)",
    needs="calls of loss functions, and their targets, in 5 training steps",
    advice=(
        "Check how the targets are made, which column they are read from, and whether they were rounded to integers.",
        "Check that samples of all classes are loaded. A discriminator needs another label for fake samples than for real ones.",
    ),
    wrong_if="The targets of a step that was not recorded are others.",
    check=_check,
    neighbours=("prediction", "input"),
    thresholds=(
        _TARGETS,
        Threshold("share of targets that are padding", SHARE_OF_PADDING, "own choice"),
        Threshold("share of targets that are 0, if nothing says that 0 is padding", SHARE_OF_ZEROS, "own choice: bits have a half"),
    ),
    explains=(
        Explains("same-for-all-samples"),
        Explains("predictions-ignore-input"),
        Explains("loss-does-not-fall"),
        Explains("vanishing-gradient"),
        Explains("logit-growth"),
        Explains("runaway-growth"),
    ),
    priority=1,
)
