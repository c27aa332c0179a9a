"""All that is known of a sample passes through a single number on its way to several classes."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import LossUse, entries_of, loss_uses
from comgra_export.analysis.findings.rules.operations import has_graph
from comgra_export.analysis.findings.rules.supervised import is_contrastive
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["RULE"]

_CLASSES = Threshold("classes", 3, "exact: a single number orders two classes, and three only in one row")
_SAMPLES = Threshold("samples", 2, "exact")


def _check(run: Run) -> Iterator[Finding]:
    seen: set[object] = set()
    for use in loss_uses(run, {"cross_entropy", "nll_loss"}):
        kind = run.steps[use.position].layout, run.steps[use.position].structures, use.prediction
        if kind in seen or len(use.entry.shape) < 2 or use.entry.shape[1] < _CLASSES.value or is_contrastive(use):
            continue
        seen.add(kind)
        narrow = _first_bottleneck(run, use)
        if narrow is None or narrow.name in seen:
            continue
        seen.add(narrow.name)
        yield RULE.finding(
            f"`{narrow.name}` has a single value for each sample, and the {use.entry.shape[1]} classes of {use.call.function} are computed "
            "from it alone. So the classes lie along one line, and all else that the layers before it know is lost.",
            Place("tensor", *narrow),
            step=use.step,
            evidence=(Evidence(FORWARD, *narrow, use.step, None, "The only value of each sample."),),
        )


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
    "nll_loss is computed, for at least 3 classes",
    source="exact; Humbatova et al. (suboptimal number of neurons), DeepFD",
    needs="graphs, and calls of loss functions",
    advice=("Make the layer wider: at least as many units as classes.", "Mute this finding if the classes are the ranges of one number."),
    wrong_if="The classes are ranges of one quantity, such as age groups, and the single value is that quantity.",
    check=_check,
    thresholds=(_CLASSES, _SAMPLES),
    explains=(
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("same-for-all-samples"),
        Explains("dead-relu", "downstream"),
        Explains("saturated-units", "downstream"),
    ),
    priority=1,
)
