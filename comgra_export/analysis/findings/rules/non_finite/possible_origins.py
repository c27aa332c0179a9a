"""The operations of a step that can make a NaN or an infinity of finite values, if the step itself was not recorded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from comgra_export.analysis.findings.rules.losses import has_class_weights
from comgra_export.analysis.findings.rules.multiples import is_multiple
from comgra_export.analysis.findings.rules.non_finite.operands import can_be_undefined, operation_name
from comgra_export.analysis.findings.rules.operations import hides_others
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import LossCall

__all__ = ["describe_origins", "possible_origins"]

_MOST = 3
_OF_CLASSES = frozenset({"cross_entropy", "nll_loss"})


def possible_origins(run: Run, graph: StepGraph, outputs: Sequence[TensorKey]) -> tuple[list[TensorKey], list[TensorKey]]:
    """Tensors that are likely to be where it began, and all that can be. If there are many, only those behind the network are likely.

    Args:
        run: The run.
        graph: What is computed from what in recorded steps.
        outputs: What the parameter that is nearest to the loss is used for. What follows from it leads to the loss.

    Returns:
        The likely ones: the operations that are not defined everywhere first, then those that may hide others, each in the order of
        computation. Then all of them, in the same order.
    """
    computed = [key for key in graph.shown if key in run.tensors and run.tensors[key].type in {"calculated", "loss"}]
    computed.sort(key=lambda key: (graph.depth[key], key))
    undefined = [key for key in computed if _is_undefined_somewhere(run, graph, key)]
    hidden = [key for key in computed if key not in undefined and _hides_others(run, graph, key)]
    behind = {key for output in outputs for key in graph.descendants(output)}
    possible = [*undefined, *hidden]
    if len(possible) <= _MOST:
        return [key for key in possible if key in behind or ": " in key.name], possible
    likely = [key for key in undefined if key in behind]
    return likely if len(likely) <= _MOST else [], possible


def describe_origins(run: Run, likely: Sequence[TensorKey], possible: Sequence[TensorKey]) -> str:
    """A sentence that names the possible ones, or if they are many, the likely ones; nothing if there are none."""
    named = possible if len(possible) <= _MOST else likely
    if not named:
        return ""
    texts = [f"`{key.name}`{_by(run, key)}" for key in named]
    which = " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
    where = "" if len(possible) <= _MOST else ", between the output of the network and the end,"
    return f" In the last recorded step, what can make such a value of finite ones{where} is {which}."


def _is_undefined_somewhere(run: Run, graph: StepGraph, key: TensorKey) -> bool:
    """Whether an operation is not defined for some finite values, as far as the recorded steps do not speak against it."""
    call = _calls(run).get(key)
    if call is not None:
        return _can_be_infinite(call)
    if not can_be_undefined(run.tensors[key].operation):
        return False
    operation = operation_name(run.tensors[key].operation)
    operands = [parent for parent in graph.parents.get(key, ()) if parent.iteration >= 0]
    if len(operands) != 1:
        return True
    if operation == "pow":
        return not _has_power_of_negative(run, operands[0], key)
    return operation != "div" or not is_multiple(run, operands[0], key)


@once_per_run
def _calls(run: Run) -> dict[TensorKey, LossCall]:
    return {TensorKey(*call.result): call for step in run.steps for call in step.losses if call.result is not None}


def _can_be_infinite(call: LossCall) -> bool:
    """Whether a loss function can be infinite or NaN although what it is given is finite and not large.

    A mean with weights of classes is divided by the sum of those of its targets, which may all be 0.
    """
    if call.function in _OF_CLASSES and call.options.get("reduction") == "mean" and has_class_weights(call):
        return True
    if call.function == "ctc_loss":
        return not call.options.get("zero_infinity")
    return call.function == "poisson_nll_loss" and bool(call.options.get("log_input", True))


def _has_power_of_negative(run: Run, base: TensorKey, power: TensorKey) -> bool:
    """Whether a power of something negative was finite: then its exponent is a whole number."""
    of_base, of_power = run.values(base), run.values(power)
    if of_base is None or of_power is None:
        return False
    finite = of_power.positions[of_power.is_finite]
    with np.errstate(invalid="ignore"):
        return bool((of_base.extrema[np.isin(of_base.positions, finite), 0] < 0).any())


def _hides_others(run: Run, graph: StepGraph, key: TensorKey) -> bool:
    parents = graph.parents.get(key, ())
    values = sum(parent in run.tensors and run.tensors[parent].type != "parameter" for parent in parents)
    return key not in _calls(run) and hides_others(run.tensors[key].operation, values)


def _by(run: Run, key: TensorKey) -> str:
    operation = run.tensors[key].operation
    if key in _calls(run):
        return ""
    return f" ({operation_name(operation) if can_be_undefined(operation) else 'operations that are not recorded one by one'})"
