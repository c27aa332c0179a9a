"""Parameters that get gradients and that no optimizer holds."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.findings.rules.parameters import moves, received_gradients, require_gradients, trainable
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run

__all__ = ["RULE"]


def _check(run: Run) -> Iterator[Finding]:
    if run.optimized is None:
        raise NotCheckedError("no optimizer is known")
    require_gradients(run)
    names = trainable(run)
    outside = [name for name in names if name not in run.optimized and not moves(run, name) and _gets_gradients(run, name)]
    if not outside:
        return
    step = int(received_gradients(run, outside[0]).steps[0])
    yield RULE.finding(
        f"No optimizer holds {names_of(outside)}, although backward passes compute gradients for {'it' if len(outside) == 1 else 'them'}.",
        *(Place("parameter", name) for name in outside),
        step=step,
        evidence=(Evidence(run.gradient_groups[0], outside[0], -1, step, "abs_mean", "The gradient that nothing uses."),),
        severity=Severity.INFORMATION if len(outside) > len(run.optimized.intersection(names)) else None,
    )


def _gets_gradients(run: Run, name: str) -> bool:
    received = received_gradients(run, name)
    return bool(len(received)) and bool((received.largest > 0).mean() > 0.5)


RULE = Rule(
    name="not-in-optimizer",
    title="No optimizer holds a parameter that gets gradients",
    severity=Severity.BUG,
    formula="no optimizer holds the parameter, its gradient is not zero in more than half of the training steps, and its values never "
    "change. Information only if most parameters are like that",
    source="exact; TrainCheck (PyTorch forum 84911)",
    needs="optimizers, gradients, and norms of updates",
    advice=(
        "Pass all parameters to the optimizer: `model.parameters()`.",
        "Set `requires_grad_(False)` if the parameter is meant to stay as it is.",
    ),
    check=_check,
    explains=(Explains("never-updated"), Explains("loss-does-not-fall")),
    priority=1,
    while_training=10,
)
