"""Probabilities are passed to a loss that expects logits."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

# What the loss applies itself, and what must therefore not come before it. The logarithm of a softmax is harmless before cross_entropy.
_EXPECT_LOGITS = {
    "cross_entropy": {"SoftmaxBackward0": "softmax", "SigmoidBackward0": "sigmoid", "ReluBackward0": "relu", "TanhBackward0": "tanh"},
    "binary_cross_entropy_with_logits": {"SoftmaxBackward0": "softmax", "SigmoidBackward0": "sigmoid", "ReluBackward0": "relu"},
}


def _check(run: Run) -> Iterator[Finding]:
    seen = set()
    losses = [(step, loss) for step in run.steps for loss in step.losses if loss.function in _EXPECT_LOGITS and loss.prediction is not None]
    if not losses:
        raise NotCheckedError("no call of cross_entropy or binary_cross_entropy_with_logits was recorded")
    for step, loss in losses:
        assert loss.prediction is not None
        tensor = TensorKey(*loss.prediction)
        entry = run.tensors.get(tensor)
        activation = None if entry is None else _EXPECT_LOGITS[loss.function].get(entry.operation or "")
        if activation is None or tensor.name in seen:
            continue
        seen.add(tensor.name)
        yield RULE.finding(
            f"{tensor.name} is the result of {activation}, and {loss.function} applies its own to it. This flattens the gradients.",
            Place("tensor", *tensor),
            step=step.step,
            evidence=(Evidence(FORWARD, *tensor, step.step, None, f"The values passed to {loss.function}."),),
        )


RULE = Rule(
    name="softmax-before-cross-entropy",
    title="Probabilities are passed to a loss that expects logits",
    severity=Severity.BUG,
    formula="the prediction of cross_entropy or binary_cross_entropy_with_logits was made by softmax, sigmoid, relu or tanh",
    source="TheDeepChecker (redundant softmax), UMLAUT",
    needs="calls of loss functions",
    advice=("Pass the raw outputs of the last linear layer to the loss.", "Apply the activation only where you need probabilities."),
    check=_check,
    explains=(Explains("vanishing-gradient"), Explains("loss-does-not-fall"), Explains("updates-too-small")),
    priority=0,
)
