"""Layers in a plain list, dictionary or object, which the module does not know as parts of itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_REMEDIES = {
    "list": "nn.ModuleList registers them.",
    "dict": "nn.ModuleDict registers them.",
    "object": "Its class should inherit from nn.Module. Or turn `requires_grad` off for its parameters, if nothing is to train them.",
}


def _check(run: Run) -> Iterator[Finding]:
    trained = np.flatnonzero(run.is_training)
    if not len(trained) or not run.network.modules:
        raise NotCheckedError("no training step of a tracked module was recorded", lacks="network")
    for entry in run.network.unregistered:
        if not entry.with_gradient or entry.module >= len(run.network.modules):
            continue
        owner = run.network.modules[entry.module].name
        name = f"{owner}.{entry.attribute}"
        remedy = _REMEDIES.get(entry.kind, _REMEDIES["list"])
        what = "is not a module, and holds" if entry.kind == "object" else f"is a plain {entry.kind} of"
        yield RULE.finding(
            f"`{name}` {what} {entry.items} layer{'' if entry.items == 1 else 's'} with {entry.parameters} parameters. "
            f"{entry.with_gradient} of these get gradients, and none is in `parameters()` of the module, or in an optimizer. So nothing "
            f"trains them, and `state_dict()` and `to(device)` leave them out. {remedy}",
            Place("module", owner),
            step=as_step(run.numbers[trained[0]]),
            # Such an object may be a helper that is kept out of the model on purpose, as a loss that compares features is.
            severity=Severity.PROBLEM if entry.kind == "object" else None,
        )


RULE = Rule(
    name="unregistered-modules",
    title="Layers in a plain list, dictionary or object are not part of the model",
    severity=Severity.BUG,
    formula="an attribute of a module is a list, a tuple, a dictionary, or an object that is not a module (a problem), with modules "
    "or parameters that the model does not hold otherwise and no tracked optimizer holds, and one of their parameters has a gradient",
    source="exact; documentation of nn.ModuleList",
    needs="tracked or watched modules, and two recorded training steps",
    advice=(
        "Use `nn.ModuleList`, `nn.ModuleDict` or `nn.ParameterList` in place of the plain list or dictionary, and `nn.Module` as a base.",
        "Make the optimizer after that, from `model.parameters()`.",
        "Or turn `requires_grad` off for what is kept out of the model on purpose.",
    ),
    wrong_if="The parameters are in `model.parameters()`, or in an optimizer that was not tracked.",
    check=_check,
    explains=(Explains("loss-does-not-fall"),),
    priority=1,
)
