"""The target of a loss is trained too: it moves towards the prediction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, loss_uses
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.parameters import trainable
from comgra_export.analysis.findings.rules.supervised import root_of
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SIMILARITY = re.compile(r"cosine_similarity( \(\d+\))?")
_LINEAR = frozenset({"add", "div", "mean", "mul", "neg", "rsub", "sub", "sum"})
_ALIKE = 0.999
_MOST_SIMILARITIES = 8


def _check(run: Run) -> Iterator[Finding]:
    similarity = _raised_similarity(run)
    if similarity is not None:
        yield similarity
        return
    seen = set()
    for use in loss_uses(run, REGRESSIONS):
        if not run.is_training[use.position] or use.call.target is None or use.call.result is None:
            continue
        graph, target, result = run.graph(use.position), TensorKey(*use.call.target), TensorKey(*use.call.result)
        roots = set(map(TensorKey._make, run.steps[use.position].backward_roots))
        # With a second term in the loss, such as that of VICReg, both sides may be trained on purpose.
        is_alone = len(roots) == 1 and root_of(run, use, roots) is not None
        if target.name in seen or not is_alone or target not in graph.with_gradient([result]):
            continue
        if not _share_parameters(run, graph, target, use.prediction):
            continue
        seen.add(target.name)
        places = [Place("tensor", *target), Place("tensor", *use.prediction)]
        yield RULE.finding(
            f"The target of {use.call.function}, `{target.name}`, is computed by the weights that are trained, and gradients flow into it. "
            "So the target moves towards the prediction, and a network whose outputs are all equal has the lowest loss.",
            # The results of operations have names that the script does not.
            *(places if ": " in target.name else [Place("tensor", *result), *places]),
            step=use.step,
            evidence=(Evidence(FORWARD, *target, use.step, None, "The target, which has a gradient."),),
        )


def _share_parameters(run: Run, graph: StepGraph, first: TensorKey, second: TensorKey) -> bool:
    """Whether a gradient flows from both of two tensors to the same trained parameter."""
    parameters = {TensorKey(name, -1) for name in trainable(run)}
    return bool(parameters & graph.with_gradient([first]) & graph.with_gradient([second]))


def _raised_similarity(run: Run) -> Finding | None:
    """Cosine similarities of results of the same weights, if all that is minimized is that they should be large."""
    for position in np.flatnonzero(run.is_training).tolist():
        graph, roots = run.graph(position), run.steps[position].backward_roots
        similarities = _origins(run, graph, TensorKey(*roots[0])) if len(roots) == 1 else []
        sides = [_trained_sides(run, graph, similarity) for similarity in similarities]
        if sides and all(sides) and _falls_as(run, TensorKey(*roots[0]), similarities):
            step = as_step(run.numbers[position])
            which = names_of([each.name for each in similarities])
            return RULE.finding(
                f"All that is minimized is that {which} should be large, and the trained weights compute both of "
                f"{'its' if len(similarities) == 1 else 'their'} sides. So each side is the target of the other, and a network whose "
                "outputs all have the same direction has the lowest loss.",
                Place("tensor", *similarities[0]),
                *(Place("tensor", *each) for each in dict.fromkeys((*sides[0], *similarities[1:]))),
                step=step,
                evidence=(Evidence(FORWARD, *similarities[0], step, None, "The similarities of the pairs."),),
            )
    return None


def _trained_sides(run: Run, graph: StepGraph, similarity: TensorKey) -> list[TensorKey]:
    """The two sides of a similarity if a gradient flows through both to the same weights; else none."""
    with_gradient = graph.with_gradient([similarity])
    sides = [key for key in graph.parents.get(similarity, ()) if key.iteration >= 0 and key in with_gradient]
    return sides if len(sides) == 2 and _share_parameters(run, graph, *sides) else []


def _origins(run: Run, graph: StepGraph, root: TensorKey) -> list[TensorKey]:
    """The cosine similarities that a loss was computed from, if from nothing else; none if from more than a few."""
    origins: dict[TensorKey, None] = {}
    waiting = [root]
    while waiting:
        key = waiting.pop(0)
        if _SIMILARITY.fullmatch(key.name):
            origins[key] = None
            continue
        parents = graph.parents.get(key, ())
        is_linear = key in run.tensors and plain_name(run.tensors[key].operation) in _LINEAR
        if not parents or not is_linear or len(origins) + len(waiting) > _MOST_SIMILARITIES:
            return []
        waiting += parents
    return list(origins)


def _falls_as(run: Run, loss: TensorKey, similarities: Sequence[TensorKey]) -> bool:
    """Whether a loss is a constant less multiples of the means of similarities, over the recorded steps."""
    first, others = run.values(loss), [run.values(each) for each in similarities]
    known = [each for each in others if each is not None]
    if first is None or len(known) < len(others) or not all(np.array_equal(first.positions, each.positions) for each in known):
        return False
    falls, rises = np.diff(first.mean), np.diff([each.mean for each in known], axis=1)
    # Both are float32, and differ by rounding.
    if len(falls) < 2 * len(known) - 1 or not np.isfinite(falls).all() or not np.isfinite(rises).all() or not falls.any():
        return False
    weights = np.linalg.lstsq(rises.T, falls, rcond=None)[0]
    fitted = weights @ rises
    return bool((weights < 0).all() and falls @ fitted > _ALIKE * np.linalg.norm(falls) * np.linalg.norm(fitted))


RULE = Rule(
    name="trained-target",
    title="Gradients flow into the target of the loss",
    severity=Severity.PROBLEM,
    formula="what is minimized is a regression loss alone, and a gradient flows to the same trained parameter through its prediction and "
    "through its target; or it is a constant less multiples of means of `cosine_similarity` alone, and a gradient flows to the same "
    "trained parameter through both sides of each",
    source="exact; Mnih et al. 2015 (targets of Q-learning are constant), Grill et al. 2020 and Chen and He 2021 (stop-gradient)",
    needs="calls of loss functions, and the graph",
    advice=(
        "Compute the target under `torch.no_grad()`, or call `detach()` on it.",
        "Compute it with a copy of the network that changes slowly: a target network or a teacher.",
        "Mute the finding if both sides are meant to be trained, as the sides of an equation are.",
    ),
    wrong_if="The outputs for different inputs stay apart when the run goes on.",
    check=_check,
    explains=(
        Explains("same-for-all-samples"),
        Explains("weights-collapse"),
        Explains("loss-does-not-fall"),
        Explains("runaway-growth"),
        Explains("diverging-loss"),
        Explains("dormant-units"),
    ),
    priority=1,
)
