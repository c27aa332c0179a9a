"""The target of a loss is trained too: it moves towards the prediction."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, loss_uses
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.parameters import trainable
from comgra_export.analysis.findings.rules.supervised import root_of
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SIMILARITY = re.compile(r"cosine_similarity( \(\d+\))?")
_LINEAR = frozenset({"add", "div", "mean", "mul", "neg", "rsub", "sub", "sum"})
_OPPOSITE = -0.999


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
    """The cosine similarity of two results of the same weights, if all that is minimized is that it should be large."""
    for position in np.flatnonzero(run.is_training).tolist():
        graph, roots = run.graph(position), run.steps[position].backward_roots
        similarity = _origin(run, graph, TensorKey(*roots[0])) if len(roots) == 1 else None
        if similarity is None:
            continue
        with_gradient = graph.with_gradient([similarity])
        sides = [key for key in graph.parents.get(similarity, ()) if key.iteration >= 0 and key in with_gradient]
        if len(sides) == 2 and _share_parameters(run, graph, *sides) and _falls_as(run, TensorKey(*roots[0]), similarity):
            step = as_step(run.numbers[position])
            return RULE.finding(
                f"All that is minimized is that `{similarity.name}` should be large, and the trained weights compute both of its sides. "
                "So each side is the target of the other, and a network whose outputs all have the same direction has the lowest loss.",
                Place("tensor", *similarity),
                *(Place("tensor", *side) for side in sides),
                step=step,
                evidence=(Evidence(FORWARD, *similarity, step, None, "The similarities of the pairs."),),
            )
    return None


def _origin(run: Run, graph: StepGraph, root: TensorKey) -> TensorKey | None:
    """The cosine similarity that a loss was computed from, if from nothing else."""
    key = root
    while not _SIMILARITY.fullmatch(key.name):
        parents = graph.parents.get(key, ())
        if len(parents) != 1 or key not in run.tensors or plain_name(run.tensors[key].operation) not in _LINEAR:
            return None
        key = parents[0]
    return key


def _falls_as(run: Run, loss: TensorKey, similarity: TensorKey) -> bool:
    """Whether a loss is a constant less a multiple of the mean similarity, over the recorded steps."""
    first, second = run.values(loss), run.values(similarity)
    if first is None or second is None or not np.array_equal(first.positions, second.positions):
        return False
    falls, rises = np.diff(first.mean), np.diff(second.mean)
    # Both are float32, and differ by rounding.
    norms = float(np.linalg.norm(falls) * np.linalg.norm(rises))
    return norms > 0 and bool(falls @ rises < _OPPOSITE * norms)


RULE = Rule(
    name="trained-target",
    title="Gradients flow into the target of the loss",
    severity=Severity.PROBLEM,
    formula="what is minimized is a regression loss alone, and a gradient flows to the same trained parameter through its prediction and "
    "through its target; or it is a constant less a multiple of a mean `cosine_similarity` alone, and a gradient flows to the same trained "
    "parameter through both sides",
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
