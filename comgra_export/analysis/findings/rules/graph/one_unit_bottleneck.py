"""All that is known of a sample passes through a single number on its way to several classes, or to a copy of its many values."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses, moment
from comgra_export.analysis.findings.rules.operations import has_graph
from comgra_export.analysis.findings.rules.supervised import is_contrastive, value_of
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["RULE"]

_CLASSES = Threshold("classes", 3, "exact: a single number orders two classes, and three only in one row")
_SAMPLES = Threshold("samples", 2, "exact")
_VALUES = Threshold("values of an input that is restored", 8, "own choice: two or three are reduced to one to show that it can be done")
_REMAINS = Threshold("share of the variance that remains", 0.1, "own choice")
_REGRESSION = "mse_loss"


def _check(run: Run) -> Iterator[Finding]:
    seen: set[object] = set()
    for use in loss_uses(run, {"cross_entropy", "nll_loss", _REGRESSION}):
        kind = run.steps[use.position].layout, run.steps[use.position].structures, use.prediction
        what = None if kind in seen else _what_is_predicted(run, use)
        if what is None:
            continue
        seen.add(kind)
        narrow = _first_bottleneck(run, use)
        if narrow is None or narrow.name in seen:
            continue
        seen.add(narrow.name)
        yield RULE.finding(
            f"`{narrow.name}` has a single value for each sample, and {what} of {use.call.function} are computed from it alone. So they "
            "lie along one line, and all else that the layers before it know is lost.",
            Place("tensor", *narrow),
            step=use.step,
            evidence=(Evidence(FORWARD, *narrow, use.step, None, "The only value of each sample."),),
        )


def _what_is_predicted(run: Run, use: LossUse) -> str | None:
    """Several classes, or the many values of an input of the network itself; None if it is something else."""
    if use.call.function != _REGRESSION:
        is_of_classes = len(use.entry.shape) > 1 and use.entry.shape[1] >= _CLASSES.value and not is_contrastive(use)
        return f"the {use.entry.shape[1]} classes" if is_of_classes else None
    count = use.entry.values_per_sample
    target = None if use.call.target is None else TensorKey(*use.call.target)
    is_copy = target in run.graph(use.position).ancestors(use.prediction)
    return f"the {count} values" if is_copy and (count or 0) >= _VALUES.value and not _is_enough(run, use) else None


def _is_enough(run: Run, use: LossUse) -> bool:
    """Whether the last recorded prediction comes close to the target anyway: then a sample is one number in fact."""
    last = [other for other in loss_uses(run, {_REGRESSION}) if other.prediction == use.prediction][-1]
    target = None if last.call.target is None else moment(run, TensorKey(*last.call.target), last.position)
    return target is not None and value_of(run, last) < _REMAINS.value * float(target.standard_deviation[0]) ** 2


def _first_bottleneck(run: Run, use: LossUse) -> TensorKey | None:
    """The first tensor on the way to the prediction with one value per sample, if no other way leads from an input to the prediction."""
    graph, entries = run.graph(use.position), entries_of(run, use.position)
    before = graph.ancestors(use.prediction)
    batch = use.entry.shape[0]
    narrow = [key for key in before if key in entries and _is_narrow(entries[key], batch)]
    for key in sorted(narrow, key=lambda each: graph.depth.get(each, 0)):
        parameters = {other for other in graph.ancestors(key) if other.iteration < 0}
        if parameters and _is_only_way(graph, entries, key, use.prediction):
            return key
    return None


def _is_narrow(entry: TensorEntry, batch: int) -> bool:
    """Whether a tensor was computed with autograd and has one value for each of the samples of the prediction."""
    is_of_samples = entry.batch_dimension == 0 and entry.shape[:1] == (batch,) and batch >= _SAMPLES.value
    return is_of_samples and entry.is_floating and entry.values_per_sample == 1 and has_graph(entry.operation)


def _is_only_way(graph: StepGraph, entries: dict[TensorKey, TensorEntry], narrow: TensorKey, prediction: TensorKey) -> bool:
    """Whether everything that goes into the prediction besides a tensor, and is not computed from it, consists of parameters."""
    waiting, seen = [prediction], {narrow}
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        parents = graph.parents.get(key, ())
        if not parents and key.iteration >= 0:
            # An input, or a tensor of which it is not known what it was computed from. Constants have no batch.
            entry = entries.get(key)
            if entry is None or entry.batch_dimension is not None or not entry.shape:
                return False
        waiting.extend(parents)
    return prediction != narrow


RULE = Rule(
    name="one-unit-bottleneck",
    title="Everything passes through a single unit",
    severity=Severity.PROBLEM,
    formula="a tensor [B, 1] or [B] that parameters went into, from which and from parameters alone the prediction of cross_entropy or "
    "nll_loss is computed, for at least 3 classes; or that of mse_loss, if its target is the input of 8 values or more that it "
    "was computed from, and the last loss is at least 10 % of its variance",
    source="exact; Humbatova et al. (suboptimal number of neurons), DeepFD",
    needs="graphs, and calls of loss functions",
    advice=(
        "Make the layer wider: at least as many units as classes, or as a sample has properties.",
        "Mute this finding if the classes are the ranges of one number, or samples are to be put in one row.",
    ),
    wrong_if="The classes are ranges of one quantity, such as age groups, and the single value is that quantity.",
    check=_check,
    neighbours=("before", "caller"),
    thresholds=(_CLASSES, _SAMPLES, _VALUES, _REMAINS),
    explains=(
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("same-for-all-samples"),
        Explains("dead-relu", "downstream"),
        Explains("saturated-units", "downstream"),
    ),
    priority=1,
)
