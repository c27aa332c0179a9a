"""The target of a loss is trained too: it moves towards the prediction."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.losses import REGRESSIONS, loss_uses
from comgra_export.analysis.findings.rules.parameters import trainable
from comgra_export.analysis.findings.rules.supervised import root_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]


def _check(run: Run) -> Iterator[Finding]:
    parameters = {TensorKey(name, -1) for name in trainable(run)}
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
        shared = parameters & graph.with_gradient([target]) & graph.with_gradient([use.prediction])
        if not shared:
            continue
        seen.add(target.name)
        yield RULE.finding(
            f"The target of {use.call.function}, `{target.name}`, is computed by the weights that are trained, and gradients flow into it. "
            "So the target moves towards the prediction, and a network whose outputs are all equal has the lowest loss.",
            Place("tensor", *target),
            Place("tensor", *use.prediction),
            step=use.step,
            evidence=(Evidence(FORWARD, *target, use.step, None, "The target, which has a gradient."),),
        )


RULE = Rule(
    name="trained-target",
    title="Gradients flow into the target of the loss",
    severity=Severity.PROBLEM,
    formula="what is minimized is a regression loss alone, and a gradient flows to the same trained parameter through its prediction and "
    "through its target",
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
