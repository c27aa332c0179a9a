"""Parameters that have gradients and never change."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["RULE"]


def _check(run: Run) -> Iterator[Finding]:
    if not any((history.update_norm > 0).any() for history in run.parameters.values()):
        raise NotCheckedError("no parameter changed in a recorded step")
    frozen = [name for name, history in run.parameters.items() if _is_left_out(run, name, history)]
    if not frozen:
        return
    first = run.parameters[frozen[0]]
    step = int(first.steps[0])
    outside = run.optimized is not None and not run.optimized.intersection(frozen)
    reason = " No optimizer holds it." if outside else ""
    others = f" (and {len(frozen) - 1} more)" if len(frozen) > 1 else ""
    yield RULE.finding(
        f"{frozen[0]}{others} has a gradient in every recorded step, and its values never change.{reason}",
        *(Place("parameter", name) for name in frozen),
        step=step,
        evidence=(
            Evidence(run.gradient_groups[0], frozen[0], -1, step, "abs_mean", "The gradient is there, and the values stay the same."),
        ),
    )


def _is_left_out(run: Run, name: str, history: ParameterHistory) -> bool:
    """Whether a parameter has a gradient that is not zero in every step, and none of the steps changes it, while others change."""
    gradient = run.gradients(TensorKey(name, -1))
    if not history.entry.requires_grad or gradient is None or not len(gradient) or (history.update_norm != 0).any():
        return False
    moving = {int(step) for other in run.parameters.values() for step in other.steps[other.update_norm > 0]}
    return bool((~gradient.is_absent & (gradient.largest_magnitude > 0)).all()) and moving.issuperset(history.steps.tolist())


RULE = Rule(
    name="never-updated",
    title="A parameter has gradients and never changes",
    severity=Severity.BUG,
    formula="update norm = 0 in every step in which other parameters move, with a gradient that is not zero",
    source="exact; TrainCheck (PyTorch forum 84911, mmpretrain 702)",
    needs="gradients, and norms of updates",
    advice=(
        "Pass all parameters to the optimizer: `model.parameters()`.",
        "Create the optimizer after all layers are in the model.",
        "Set `requires_grad_(False)` if the parameter is meant to stay as it is.",
    ),
    check=_check,
    explains=(Explains("loss-does-not-fall"),),
    priority=2,
)
