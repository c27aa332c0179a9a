"""Parameters that never get a gradient: their modules never run, or the loss is not computed from them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import entries_of
from comgra_export.analysis.findings.rules.modes import modes_in
from comgra_export.analysis.findings.rules.operations import has_graph
from comgra_export.analysis.findings.rules.parameters import (
    has_twin,
    lost_gradients,
    moves,
    received_gradients,
    require_gradients,
    trainable,
)
from comgra_export.analysis.findings.rules.steps_to_loss import StepToLoss, steps_to_loss
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Integers, TensorKey
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_NUMBER = re.compile(r"\d+")
_STEPS = Threshold("training steps", 5, "trials on 110 small programs")
_STEPS_OF_CHOICE = Threshold("training steps, if other entries of the same list ran", 20, "an expert may be chosen rarely")


def _check(run: Run) -> Iterator[Finding]:
    positions = np.flatnonzero(run.is_training)
    frozen = _is_all_frozen(run, positions)
    if frozen is not None:
        yield frozen
        return
    require_gradients(run)
    if len(positions) < _STEPS.value:
        raise NotCheckedError(f"fewer than {_STEPS.value} training steps were recorded", lacks="training steps")
    if all(run.steps[position].module_runs is None for position in positions):
        raise NotCheckedError("the recording does not say which modules ran", lacks="network")
    cut_off = _is_cut_off(run, positions)
    if cut_off is not None:
        yield cut_off
        return
    ran = {run.network.modules[module].name for position in positions for module in modes_in(run, int(position))}
    without = {name for name in trainable(run) if _never_gets_one(run, name) and not _is_used(run, name, positions)}
    by_module: defaultdict[str, list[str]] = defaultdict(list)
    for name in trainable(run):
        if name in without and name.rpartition(".")[0] not in ran:
            by_module[_topmost(run, name, without, ran)].append(name)
    for module, names in by_module.items():
        if _is_one_of_several(module, ran) and len(positions) < _STEPS_OF_CHOICE.value:
            continue
        yield RULE.finding(
            f"`{module}` never ran in {len(positions)} recorded training steps, so "
            + (
                f"its parameter `{names[0]}` gets no gradient."
                if len(names) == 1
                else f"none of its {len(names)} parameters gets a gradient."
            ),
            Place("module", module),
            *(Place("parameter", name) for name in names),
            step=as_step(run.numbers[positions[0]]),
        )
    yield from _unread_weights(run, sorted(name for name in without if name.rpartition(".")[0] in ran), len(positions))
    yield from _dead_ends(run)


def _unread_weights(run: Run, names: list[str], steps: int) -> Iterator[Finding]:
    """Weights of modules that ran, if nothing was computed from them, although all other parameters of the module get gradients."""
    shapes = {entry.name: entry.shape for entry in run.network.parameters}
    weights = [name for name in names if sum(size > 1 for size in shapes[name]) > 1]
    unread = []
    for name in weights:
        others = [other for other in trainable(run) if other != name and other.rpartition(".")[0] == name.rpartition(".")[0]]
        if others and all((received_gradients(run, other).largest > 0).all() for other in others):
            unread.append(name)
    if unread:
        is_one = len(unread) == 1
        yield RULE.finding(
            f"{names_of(unread)} never get{'s' if is_one else ''} a gradient in {steps} recorded training steps, although "
            f"{'its module runs' if is_one else 'their modules run'} and all other parameters there get one. It looks as if `forward` does "
            f"not use {'it' if is_one else 'them'}, or reads `weight.data` or `weight.detach()`.",
            *(Place("parameter", name) for name in unread),
            step=as_step(run.numbers[run.is_training][0]),
        )


def _dead_ends(run: Run) -> Iterator[Finding]:
    """Parameters from which something was computed, and nothing of it went into the loss: those before the same tensor of each layer."""
    steps = steps_to_loss(run)
    before: defaultdict[str, dict[TensorKey, list[str]]] = defaultdict(dict)
    for name in trainable(run):
        end = _dead_end(steps, TensorKey(name, -1)) if _never_gets_one(run, name) else None
        if end is not None:
            before[_NUMBER.sub("", end.name)].setdefault(end, []).append(name)
    for ends in before.values():
        names = [name for of_end in ends.values() for name in of_end]
        yield RULE.finding(
            f"What is minimized is not computed from {names_of([key.name for key in ends])}. So {names_of(names)} never "
            f"get{'s' if len(names) == 1 else ''} a gradient. It looks as if nothing uses this result, or only the number that `item` "
            "makes of it.",
            *(Place("tensor", *key) for key in ends),
            *(Place("parameter", name) for name in names),
            step=steps[0].number,
            evidence=(Evidence(FORWARD, *next(iter(ends)), steps[0].number, None, "The last tensor of a path that ends."),),
        )


def _dead_end(steps: list[StepToLoss], parameter: TensorKey) -> TensorKey | None:
    """The last tensor that was computed from a parameter in the first step that did; None if there is none, or a loss was in some step."""
    made = [(step, step.graph.descendants(parameter)) for step in steps if parameter in step.graph.shown]
    if any(step.minimized & reached for step, reached in made):
        return None
    ends = [(step, [key for key in reached if key in step.entries and has_graph(step.entries[key].operation)]) for step, reached in made]
    return next((max(keys, key=lambda key: step.graph.depth.get(key, 0)) for step, keys in ends if keys), None)


def _is_cut_off(run: Run, positions: Integers) -> Finding | None:
    """All parameters that an optimizer holds, if backward passes ran in all steps, and none of them ever gets a gradient or changes."""
    held = [name for name in trainable(run) if run.optimized is not None and name in run.optimized and name in run.parameters]
    known = [received_gradients(run, name) for name in held]
    has_backward = all(any(gradients.backward_passes for gradients in run.steps[position].gradients) for position in positions)
    if (
        not has_backward
        or lost_gradients(run)
        or not all(len(each) and each.absent.all() for each in known)
        or any(moves(run, name) for name in held)
    ):
        return None
    graph = run.graph(int(positions[0]))
    entries = {key: run.tensors[key] for key in graph.shown if key in run.tensors}
    results = [key for key, entry in entries.items() if entry.module is not None and has_graph(entry.operation)]
    if not held or not results:
        return None
    last = max(results, key=graph.depth.__getitem__)
    return RULE.finding(
        f"Backward passes ran in all {len(positions)} recorded training steps, and none of the {len(held)} parameters of the optimizer got "
        f"a gradient. It looks as if the loss is not computed from {last.name}, or from a copy of it without its graph.",
        Place("tensor", *last),
        *(Place("parameter", name) for name in held),
        step=as_step(run.numbers[positions[0]]),
        severity=Severity.BUG,
    )


def _is_all_frozen(run: Run, positions: Integers) -> Finding | None:
    """All parameters that an optimizer holds, if every one of them is frozen, although the script trains and nothing else changes."""
    held = [entry.name for entry in run.network.parameters if run.optimized is not None and entry.name in run.optimized]
    is_any_free = any(entry.requires_grad for entry in run.network.parameters) or any(map(partial(_has_loss_with_graph, run), positions))
    if not held or is_any_free or len(positions) < _STEPS.value or any(moves(run, name) for name in held if name in run.parameters):
        return None
    return RULE.finding(
        f"Backward passes ran in {len(positions)} recorded training steps, and all {len(held)} parameters of the optimizer are frozen: "
        "their `requires_grad` is False. So nothing is learned.",
        Place("parameter", held[-1]),
        *(Place("parameter", name) for name in held[:-1]),
        step=as_step(run.numbers[positions[0]]),
        severity=Severity.BUG,
    )


def _has_loss_with_graph(run: Run, position: int) -> bool:
    """Whether something that a backward pass began at was computed with autograd: a part that is not watched is trained, then."""
    entries = entries_of(run, position)
    roots = [entries.get(TensorKey(*root)) for root in run.steps[position].backward_roots]
    return not roots or any(entry is None or has_graph(entry.operation) for entry in roots)


def _never_gets_one(run: Run, name: str) -> bool:
    """Whether a parameter has no gradient in all training steps, and nothing else moves it."""
    received = received_gradients(run, name)
    is_moved = moves(run, name) and name in run.parameters
    is_left_out = run.optimized is not None and name not in run.optimized
    return bool(len(received)) and bool(received.absent.all()) and not is_moved and not is_left_out and not has_twin(run, name)


def _is_used(run: Run, name: str, positions: Integers) -> bool:
    """Whether something was computed from a parameter, perhaps without its module."""
    return any(run.graph(int(position)).children.get(TensorKey(name, -1)) for position in positions)


def _topmost(run: Run, name: str, without: set[str], ran: set[str]) -> str:
    """The largest module around a parameter of which nothing ran and no trainable parameter gets a gradient."""
    top = name.rpartition(".")[0]
    while outer := top.rpartition(".")[0]:
        parts = [other for other in trainable(run) if other.startswith(f"{outer}.")]
        if outer in ran or not without.issuperset(parts) or any(module.startswith(f"{outer}.") for module in ran):
            break
        top = outer
    return top


def _is_one_of_several(module: str, ran: set[str]) -> bool:
    """Whether a module is an entry of a list of which other entries ran."""
    parent, _, own = module.rpartition(".")
    siblings = {other.removeprefix(f"{parent}.").partition(".")[0] for other in ran if other.startswith(f"{parent}.")}
    return own.isdigit() and any(sibling.isdigit() for sibling in siblings)


RULE = Rule(
    name="no-gradient",
    title="Parameters that never get a gradient",
    severity=Severity.PROBLEM,
    formula="no gradient in 5 or more training steps in which nothing used the parameter (of a module that runs: a weight beside others "
    "with gradients), or in which the loss was computed from nothing that it made; named once a module. Left out: what other optimizers or "
    "something else moves, and copies. A bug: backward passes run in all of these steps, and no parameter of an optimizer gets a gradient",
    source="exact; unused parameters of DistributedDataParallel",
    needs="gradients, graphs, and which modules ran",
    advice=(
        "Use the module in `forward`, or remove it.",
        "Do not put outputs into a new tensor: it has no graph.",
    ),
    wrong_if="The gradient of the parameter is there after the backward pass of a step that was not recorded.",
    check=_check,
    thresholds=(_STEPS, _STEPS_OF_CHOICE),
    priority=3,
)
