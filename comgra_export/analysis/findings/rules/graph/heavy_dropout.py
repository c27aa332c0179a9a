"""Dropout keeps so few values that hardly anything passes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.functional_dropout import functional_dropout
from comgra_export.analysis.findings.rules.modes import dropout_within, is_dropout, modes_in, setting
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import ModuleEntry
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHARE = Threshold("share of the values that are dropped", 0.8, "own choice: 0.5 is usual, and 0.8 the share that Srivastava et al. keep")


def _check(run: Run) -> Iterator[Finding]:
    by_function = list(_of_calls(run)) or list(_of_functions(run))
    yield from by_function
    shares = {position: share for position, module in enumerate(run.network.modules) if (share := _share_of(module)) > 0}
    if not shares and not by_function:
        raise NotCheckedError("no dropout is known in the network", lacks="network", applies=not run.network.modules)
    yield from _of_modules(run, shares, {_module_of(run, place) for finding in by_function for place in finding.places})


def _module_of(run: Run, place: Place) -> str | None:
    """The module that a finding names, or that made the tensor that it names."""
    return place.name if place.kind != "tensor" else run.tensors[TensorKey(place.name, place.iteration or 0)].module


def _of_calls(run: Run) -> Iterator[Finding]:
    """Calls of functions in training steps that say how much they drop."""
    heavy = [
        (position, call)
        for position in np.flatnonzero(run.is_training).tolist()
        for call in run.steps[position].dropouts
        if call.share >= _SHARE.value
    ]
    if not heavy:
        return
    position, first = heavy[0]
    names = dict.fromkeys(call.module for _, call in heavy if call.module is not None)
    where = f" of `{first.module}`" if first.module is not None else ""
    yield RULE.finding(
        f"`{first.function}`{where} sets {first.share:.0%} of the values to 0 in training. PyTorch takes the share that is dropped, and "
        "not the share that is kept.",
        *([Place("module", name) for name in names] or [Place("run")]),
        step=run.steps[position].step,
        value=first.share,
        limit=_SHARE.value,
        comparison="Usual shares are 0.1 to 0.5.",
    )


def _of_functions(run: Run) -> Iterator[Finding]:
    for key in run.tensors:
        dropout = functional_dropout(run, key)
        if dropout is None or dropout.share < _SHARE.value:
            continue
        series = run.values(key)
        assert series is not None
        step = as_step(series.steps[0])
        yield RULE.finding(
            f"`{key.name}` is the result of a dropout of `{dropout.source.name}`, which sets at least {dropout.share:.0%} of the values to "
            "0. PyTorch's `p` is the share that is dropped, and not the share that is kept.",
            Place("tensor", *key),
            step=step,
            value=dropout.share,
            limit=_SHARE.value,
            comparison="Usual shares are 0.1 to 0.5.",
            evidence=(Evidence(FORWARD, *key, step, None, "What is left."),),
        )


def _of_modules(run: Run, shares: dict[int, float], named: set[str | None]) -> Iterator[Finding]:
    """Modules whose settings say how much they drop, by their positions, apart from those that are named already."""
    training = [position for position in np.flatnonzero(run.is_training).tolist() if modes_in(run, position)]
    heavy = [(number, run.network.modules[number].name) for number, share in shares.items() if share >= _SHARE.value]
    heavy = [(number, name) for number, name in heavy if name not in named]
    ran = [(number, name) for number, name in heavy if any(modes_in(run, position).get(number, False) for position in training)]
    if not ran:
        return
    number, name = ran[0]
    step = next(run.steps[position].step for position in training if modes_in(run, position).get(number, False))
    output = next((key for key, entry in run.tensors.items() if entry.module == name and entry.type == "calculated"), None)
    what = "its values" if is_dropout(run.network.modules[number]) else "the values within it"
    yield RULE.finding(
        f"`{name}` sets {shares[number]:.0%} of {what} to 0 in training. PyTorch takes the share that is dropped, and not the share that "
        "is kept.",
        *(Place("module", each) for _, each in ran),
        step=step,
        value=shares[number],
        limit=_SHARE.value,
        comparison="Usual shares are 0.1 to 0.5.",
        evidence=() if output is None else (Evidence(FORWARD, *output, step, None, "What is left."),),
    )


def _share_of(module: ModuleEntry) -> float:
    """The share of values that a module drops in training mode, as its settings say; 0 if it drops none."""
    share = setting(module, "p") if is_dropout(module) else None
    return dropout_within(module) if share is None else share


RULE = Rule(
    name="heavy-dropout",
    title="Dropout drops nearly everything",
    severity=Severity.SYMPTOM,
    formula="a dropout with p >= 0.8, a recurrent module or an attention with as much within it, or a function that drops as much ran in a "
    "training step. Or a product with zeros in each of 5 steps has the mean of its source, or of the ReLU of it, and a largest value of "
    "at least 5 times that of the source",
    source="exact; Srivastava et al. 2014, UMLAUT (above 0.5), Stack Overflow (`keep_prob` of TensorFlow)",
    needs="modules with their settings, and which of them ran; graphs and values for dropout by a function",
    advice=("If the share to keep was meant, give `p = 1 - share`.", "Lower `p` to 0.5 or less."),
    wrong_if="The loss of evaluations ends no lower with `p=0.5`.",
    check=_check,
    thresholds=(_SHARE,),
    explains=(
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("dormant-units"),
        Explains("gradient-spike"),
        Explains("oscillating-loss"),
        Explains("initial-loss"),
        Explains("same-for-all-samples"),
        Explains("same-for-all-tokens"),
        Explains("vanishing-gradient"),
    ),
    priority=2,
)
