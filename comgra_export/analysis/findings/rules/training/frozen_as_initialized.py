"""Layers are frozen that were never trained: their weights are as PyTorch initializes them."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.findings.rules.parameters import has_twin, moves, trainable
from comgra_export.analysis.findings.rules.steps_to_loss import StepToLoss, steps_to_loss
from comgra_export.analysis.findings.rules.training.uncopied import still_values, uncopied
from comgra_export.analysis.findings.rules.weights import (
    EVENLY_SPREAD,
    can_be_as_initialized,
    is_as_initialized,
    is_random_embedding,
    module_type,
)
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]


def _check(run: Run) -> Iterator[Finding]:
    steps = steps_to_loss(run)
    if not steps:
        raise NotCheckedError("no training step has a graph that leads to a loss", lacks="loss")
    step = steps[0]
    yield from _uncopied(run, step)
    # The gradient goes through it, or something behind it is trained.
    trained = {TensorKey(name, -1) for name in trainable(run) if name in run.parameters and moves(run, name)} & step.graph.shown.keys()
    frozen = [name for name in _frozen(run) if _is_used(step, name)]
    if trained:
        yield from _random_embeddings(run, step, frozen)
    fresh = [name for name in frozen if is_as_initialized(run, name)]
    if not fresh or not trained:
        return
    known = {name for name in frozen if name not in fresh and can_be_as_initialized(run, name)}
    suspect = [name for name in fresh if _stands_on(step, name, known) or _is_between(step, name, trained)]
    is_head = not suspect and _is_head(run, step, fresh, trained)
    is_stack = not known and any(_is_stacked(run, step, name, frozen) and _is_before(step, name, trained) for name in fresh)
    # What is nearest to the trained layers was meant to be one of them most likely.
    names = sorted(suspect or fresh, key=lambda name: -_depth(step, name))
    yield RULE.finding(
        f"{names_of(names)} {'is' if len(names) == 1 else 'are'} frozen, with values spread as PyTorch initializes them: it looks as if "
        f"{'it was' if len(names) == 1 else 'they were'} never trained."
        + (
            " Layers before or around are trained, now or earlier."
            if suspect
            else " It makes the predictions, and what comes before it is trained."
            if is_head
            else " Nobody has trained the layers before it either, so perhaps no weights were loaded, or they were overwritten."
            if is_stack
            else " That is right for random features."
        ),
        *(Place("parameter", name) for name in names),
        step=step.number,
        evidence=(Evidence(FORWARD, names[0], -1, step.number, None, "The values of the frozen weight."),),
        severity=None if suspect else Severity.SYMPTOM if is_stack or is_head else Severity.INFORMATION,
    )


def _random_embeddings(run: Run, step: StepToLoss, frozen: list[str]) -> Iterator[Finding]:
    """Vectors of words that were to be loaded, or to be trained."""
    names = [name for name in frozen if is_random_embedding(run, name)]
    shapes = {entry.name: entry.shape for entry in run.network.parameters}
    # What is frozen with other weights belongs to a network that was trained before, or stands for one.
    is_alone = all(name in names or len(shapes[name]) < 2 for name in frozen)
    if names:
        is_one = len(names) == 1
        yield RULE.finding(
            f"{names_of(names)} {'is' if is_one else 'are'} frozen, with values of mean 0 and a standard deviation as one draws "
            f"them at random: it looks as if {'it was' if is_one else 'they were'} never trained. `Embedding.from_pretrained` freezes "
            "what it is given.",
            *(Place("parameter", name) for name in names),
            step=step.number,
            evidence=(Evidence(FORWARD, names[0], -1, step.number, None, "The values of the frozen vectors."),),
            severity=Severity.SYMPTOM if is_alone else Severity.INFORMATION,
        )


def _uncopied(run: Run, step: StepToLoss) -> Iterator[Finding]:
    """Parameters that are to follow others, as their names show, and are still as initialized, other than those."""
    parameters = uncopied(run, step)
    for is_average in (True, False):
        each = [parameter for parameter in parameters if parameter.is_average == is_average]
        if not each:
            continue
        names, originals = [parameter.name for parameter in each], names_of([parameter.original for parameter in each])
        is_one = len(names) == 1
        what = f"a moving average of {originals}" if is_average else f"a copy of {originals}"
        guess = "the average is computed in a copy and never loaded, or not at all" if is_average else "it is never synchronized"
        yield RULE.finding(
            f"{names_of(names)} {'has the name' if is_one else 'have names'} of {what}, and never change{'s' if is_one else ''}. The "
            f"values are spread as PyTorch initializes them, and are others than those. It looks as if {guess}.",
            *(Place("parameter", name) for name in names),
            step=step.number,
            evidence=(Evidence(FORWARD, names[0], -1, step.number, None, "The values of the weight that never changes."),),
        )


def _frozen(run: Run) -> list[str]:
    """The parameters that require no gradient, and that nothing moves or trains elsewhere."""
    return [name for name in _still(run) if not has_twin(run, name)]


def _still(run: Run) -> list[str]:
    """The parameters that require no gradient and never change."""
    return [
        entry.name
        for entry in run.network.parameters
        if not entry.requires_grad and entry.alias_of is None and still_values(run, entry.name)
    ]


def _is_used(step: StepToLoss, name: str) -> bool:
    return TensorKey(name, -1) in step.used


def _outputs(step: StepToLoss, name: str) -> frozenset[TensorKey]:
    """What was computed with a parameter directly."""
    return frozenset(step.graph.children.get(TensorKey(name, -1), ()))


def _depth(step: StepToLoss, name: str) -> int:
    return max((step.graph.depth.get(key, 0) for key in _outputs(step, name)), default=0)


def _stands_on(step: StepToLoss, name: str, known: set[str]) -> bool:
    """Whether frozen layers lie before it that were trained once: it came with them, or was put on them and frozen by mistake."""
    return any(TensorKey(other, -1) in step.graph.ancestors(output) for output in _outputs(step, name) for other in known)


def _is_head(run: Run, step: StepToLoss, fresh: list[str], trained: set[TensorKey]) -> bool:
    """Whether a single frozen layer makes the scores of a cross entropy from what is trained: the wrong part was frozen, perhaps."""
    if len(fresh) != 1:
        return False
    (name,) = fresh
    losses = next(each.losses for each in run.steps if each.step == step.number)
    predictions = {TensorKey(*call.prediction) for call in losses if call.function == "cross_entropy" and call.prediction is not None}
    outputs = _outputs(step, name)
    return bool(predictions & outputs) and any(trained & set(step.graph.ancestors(output)) for output in outputs)


def _is_stacked(run: Run, step: StepToLoss, name: str, frozen: list[str]) -> bool:
    """Whether it is a frozen layer behind another one, as in a backbone. Random features have a single layer."""
    kinds = {entry.name: module_type(run, entry) for entry in run.network.parameters if len(entry.shape) > 1}
    before = {key for output in _outputs(step, name) for key in step.graph.ancestors(output)}
    others = [other for other in frozen if other != name and other in kinds and TensorKey(other, -1) in before]
    return bool(others) and all(kinds[each] in EVENLY_SPREAD for each in (name, *others))


def _is_before(step: StepToLoss, name: str, trained: set[TensorKey]) -> bool:
    """Whether something that is trained comes after it, and nothing before."""
    outputs = _outputs(step, name)
    before = {key for output in outputs for key in step.graph.ancestors(output)} & trained
    behind = {parent for output in outputs for key in step.graph.descendants(output) for parent in step.graph.parents.get(key, ())}
    return not before and bool(behind & trained)


def _is_between(step: StepToLoss, name: str, trained: set[TensorKey]) -> bool:
    """Whether the loss depends on trained parameters before it only through it, and others come after it."""
    outputs = _outputs(step, name)
    before = {key for output in outputs for key in step.graph.ancestors(output)} & trained
    behind = {parent for output in outputs for key in step.graph.descendants(output) for parent in step.graph.parents.get(key, ())}
    return bool(before & step.reached) and bool((behind - before) & trained) and not _reach_the_end(step, before, outputs)


def _reach_the_end(step: StepToLoss, starts: set[TensorKey], without: frozenset[TensorKey]) -> bool:
    """Whether something that the loss was computed from last follows from some tensors on a way around others."""
    reached, waiting = set(starts), list(starts)
    while waiting:
        for child in step.graph.children.get(waiting.pop(), ()):
            if child not in reached and child not in without and child in step.used:
                reached.add(child)
                waiting.append(child)
    return any(not step.used.intersection(step.graph.children.get(key, ())) for key in reached - starts)


RULE = Rule(
    name="frozen-as-initialized",
    title="A frozen layer was never trained",
    severity=Severity.PROBLEM,
    formula="a frozen weight of a linear layer or convolution, 256 values or more, is spread as PyTorch initializes it. A problem if "
    "frozen layers before it look trained, or trained ones reach the loss only through it; a symptom for stacked layers, and for a lone "
    "embedding with mean 0 and deviation 1, 0.02 or 0.01; else information. Not copies, but a teacher, average or target network that "
    "never equaled the original",
    source="exact, up to the chance that trained weights are spread so; PyTorch forum (transfer learning)",
    needs="graphs that lead to the loss, and statistics of parameters",
    advice=(
        "Freeze only what was trained before: set `requires_grad_(True)` for new layers, and pass them to the optimizer.",
        "If the weights should have been loaded, check what `load_state_dict` returns.",
    ),
    wrong_if="The layer is meant to be random, as in random features, or its trained weights happen to be spread evenly.",
    check=_check,
    explains=(Explains("loss-does-not-fall"), Explains("predictions-ignore-input")),
    priority=2,
)
