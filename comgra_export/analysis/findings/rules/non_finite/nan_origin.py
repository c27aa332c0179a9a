"""Where the first value that is not finite comes from: a tensor, a derivative, or the update of a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.mean_of_nothing import MeanOfNothing, mean_of_nothing
from comgra_export.analysis.findings.rules.non_finite.advice import Known, advice_for, wrong_if_for
from comgra_export.analysis.findings.rules.non_finite.non_finite_samples import describe_samples, non_finite_samples
from comgra_export.analysis.findings.rules.non_finite.operands import describe_operands, operand_at, operation_name, undefined_for
from comgra_export.analysis.findings.rules.non_finite.origins import describe_origin
from comgra_export.analysis.findings.rules.non_finite.steps import NonFiniteStep, first_non_finite_step
from comgra_export.analysis.findings.rules.non_finite.unrecorded_loss import LossAlone, loss_alone
from comgra_export.analysis.findings.rules.non_finite.unrecorded_step import suspects_in
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, RecordKey, TensorKey
from comgra_export.storage.text.steps import step_in_words, updates_between

__all__ = ["RULE"]

_MOST_OPERANDS = 3


def _check(run: Run) -> Iterator[Finding]:
    first = first_non_finite_step(run)
    # What is known of a mean over nothing says more than that the loss is NaN.
    of_losses: list[MeanOfNothing | LossAlone] = [each for each in (mean_of_nothing(run), loss_alone(run)) if each is not None]
    alone = min(of_losses, key=lambda each: each.step, default=None)
    if alone is not None and (first is None or alone.step < first[0].step):
        places = (Place("tensor", *key) for key in alone.places)
        yield _with_advice(run, RULE.finding(alone.message, *places, step=alone.step), "place")
        return
    if first is None:
        return
    step, counted = first
    if not counted:
        yield _in_backward_pass(run, step) if _knows_forward_pass(step) else _before_update(run, step)
        return
    graph = step.graph
    in_graph = counted.intersection(graph.shown) or counted
    order = {key: number for number, key in enumerate(run.tensors)}
    origins = sorted(
        (key for key in in_graph if not in_graph.intersection(graph.ancestors(key))),
        key=lambda key: (_type_of(run, key) == "parameter", graph.depth.get(key, 0), order.get(key, 0)),
    )
    if _type_of(run, origins[0]) == "parameter":
        yield _in_update(run, step, origins)
    else:
        yield _in_forward_pass(run, step, [key for key in origins if _type_of(run, key) != "parameter"])


def _in_forward_pass(run: Run, step: NonFiniteStep, origins: Sequence[TensorKey]) -> Finding:
    origin = origins[0]
    record = RecordKey(FORWARD, origin)
    kind = _type_of(run, origin)
    if kind in ("input", "target"):
        cause = f"It is {'an input of the network' if kind == 'input' else 'a target'}, so the data is not finite."
    else:
        cause = describe_origin(run, step.step) or _computed(run, step, origin)
    message = (
        f"`{origin.name}` is the first tensor that is not finite: it holds {_what(step, record)} at {step_in_words(step.step)}. {cause}"
    )
    return _finding(run, step, f"{message}{describe_samples(run, record, step.position)}", origins, record)


def _in_backward_pass(run: Run, step: NonFiniteStep) -> Finding:
    graph = step.graph
    group = next(key.group for key in step.is_nan if key.group != FORWARD)
    in_group = {key.tensor for key in step.is_nan if key.group == group}
    # Gradients through single calls are parts of others.
    not_finite = in_group.intersection(run.tensors) or in_group
    known = {key.tensor for key in step.known if key.group == group}

    def consumers(key: TensorKey) -> list[TensorKey]:
        return [child for child in graph.children.get(key, ()) if child in known and (key, child) not in graph.cut]

    starts = [key for key in not_finite if not not_finite.intersection(consumers(key))] or list(not_finite)
    origins = sorted(starts, key=lambda key: (not consumers(key), -graph.depth.get(key, 0), key))
    origin = origins[0]
    record = RecordKey(group, origin)
    after = consumers(origin)
    begin = f"The forward pass of {step_in_words(step.step)} is finite, and the gradient of `{origin.name}` holds {_what(step, record)}."
    if not after:
        return _finding(run, step, f"{begin} Here the backward pass stops being finite.", origins, record)
    consumer = after[0]
    operation = operation_name(_operation(run, consumer))
    operands = [] if step.position is None else [operand for operand in [operand_at(run, origin, step.position)] if operand is not None]
    undefined = None if describe_origin(run, step.step) else undefined_for(operation, operands, backward=True)
    made = f" by {operation}" if operation else ""
    values = f" The values: {describe_operands(operands)}." if operands else ""
    known_origin = describe_origin(run, step.step, backward=True)
    derivative = f" {known_origin}" if known_origin else f" This is the derivative of {undefined}." if undefined else values
    cause = f"The gradient of `{consumer.name}`, which is computed from it{made}, is finite.{derivative}"
    return _finding(run, step, f"{begin} {cause}{describe_samples(run, record, step.position)}", [consumer, *origins], record)


def _before_update(run: Run, step: NonFiniteStep) -> Finding:
    """Only the gradients of parameters are known, as they were before the update."""
    suspects = suspects_in(run, step)
    return _finding(run, step, suspects.message, suspects.places, suspects.record, "place")


def _in_update(run: Run, step: NonFiniteStep, origins: Sequence[TensorKey]) -> Finding:
    before = run.numbers[run.numbers < step.step]
    checked = [point.step for point in run.recording.sentinel_points if point.step < step.step]
    last = max([*before[-1:].tolist(), *checked[-1:]], default=None)
    since = step.step
    updates = range(0) if last is None else updates_between(last, step.step)
    if last is None:
        cause = "It was there before training began."
    elif len(updates) == 1:
        cause = f"The update of step {updates[0]} made this value."
        since = updates[0]
    elif updates and step.position is None and not _knows_forward_pass(step):
        # Training steps are counted without gaps if they are detected.
        since = updates[-1]
        cause = f"The update of step {since} made this value, since the gradients of every step are checked. That step was not recorded."
    elif len(updates) == 2 and _is_finite_after(run, last, origins):
        # Only one step lies between, and the update before it was finite.
        cause = f"The update of step {updates[1]} made this value. That step was not recorded."
        since = updates[1]
    else:
        cause = f"An update after {step_in_words(last)} made this value. The steps between were not recorded."
    hold = "hold" if len(origins) > 1 else "holds"
    record = RecordKey(FORWARD, origins[0])
    message = (
        f"{names_of([key.name for key in origins])} {hold} {_what(step, record)} at the beginning of {step_in_words(step.step)}. {cause}"
    )
    return replace(_finding(run, step, message, origins, record, "parameter"), step=since)


def _is_finite_after(run: Run, step: float, parameters: Sequence[TensorKey]) -> bool:
    """Whether a recorded step left parameters finite: it says how much it changed them."""
    histories = [run.parameters.get(key.name) for key in parameters]
    updates = [history.update_norm[history.steps == step] for history in histories if history is not None]
    return len(updates) == len(parameters) and all(len(update) and bool(np.isfinite(update).all()) for update in updates)


def _finding(
    run: Run, step: NonFiniteStep, message: str, origins: Sequence[TensorKey], record: RecordKey, known: Known = "operands"
) -> Finding:
    shown = run.numbers[step.position] if step.position is not None else None
    note = " Sentinels checked this step, and it was not recorded." if shown is None and _knows_forward_pass(step) else ""
    tensor = record.tensor
    places = dict.fromkeys(Place("parameter", key.name) if _type_of(run, key) == "parameter" else Place("tensor", *key) for key in origins)
    samples = () if step.position is None else non_finite_samples(run, record, step.position).samples
    sample = samples[0] if samples else None
    caption = "The first values that are not finite."
    evidence = (
        () if shown is None else (*_way_to(run, record, int(shown)), Evidence(record.group, *tensor, int(shown), None, caption, sample))
    )
    is_data = _type_of(run, tensor) in ("input", "target") and record.group == FORWARD
    # Nothing that is computed from the data is worth a look.
    neighbours = () if is_data else None
    finding = RULE.finding(f"{message}{note}", *places, step=step.step, evidence=evidence, neighbours=neighbours)
    return _with_advice(run, finding, "data" if is_data else known)


def _way_to(run: Run, record: RecordKey, step: int) -> tuple[Evidence, ...]:
    """The largest magnitude over the steps, if values of earlier steps are finite."""
    series = run.records.series(record)
    if series is None or not (series.is_finite & ~series.is_absent & (series.steps < step)).any():
        return ()
    return (Evidence(record.group, *record.tensor, step, "abs_max", "The largest magnitude, until it is not finite."),)


def _with_advice(run: Run, finding: Finding, known: Known) -> Finding:
    return replace(finding, advice=advice_for(known, has_sentinels=_has_sentinels(run)), wrong_if=wrong_if_for(known))


def _computed(run: Run, step: NonFiniteStep, origin: TensorKey) -> str:
    """How a tensor was computed: by which operation, and from what."""
    parents = step.graph.parents.get(origin, ())
    operation = operation_name(_operation(run, origin))
    known = [] if step.position is None else [operand_at(run, parent, step.position) for parent in parents]
    operands = [operand for operand in known if operand is not None]
    undefined = undefined_for(operation, operands)
    if undefined is not None:
        return f"This is {undefined}: {describe_operands(operands[:_MOST_OPERANDS])}."
    last = f"Its last operation is {operation}. " if operation else ""
    if operands:
        operands.sort(key=lambda operand: -max(abs(operand.smallest), abs(operand.largest)))
        before = describe_operands(operands[:_MOST_OPERANDS])
    else:
        before = ", ".join(f"`{parent.name}`" for parent in parents[:_MOST_OPERANDS])
    if not before:
        return f"{last}Nothing that was recorded comes before it."
    # Functions within a module lie between, and a factor may be a constant.
    at = "in that operation, in another one between, " if operation else "between them, "
    return f"{last}What was recorded before it is finite: {before}. So the value arises {at}or comes from something that is not recorded."


def _knows_forward_pass(step: NonFiniteStep) -> bool:
    """Whether more of a step is known than its parameters and their gradients. Without sentinels, only these are checked."""
    return step.position is not None or any(key.group == FORWARD and key.tensor.iteration >= 0 for key in step.known)


def _has_sentinels(run: Run) -> bool:
    """Whether every step was checked as a whole, and not only the gradients before an update."""
    return any(group == FORWARD and iteration >= 0 for point in run.recording.sentinel_points for group, _, iteration in point.tensors)


def _what(step: NonFiniteStep, record: RecordKey) -> str:
    return "NaN" if step.is_nan[record] else "infinity"


def _operation(run: Run, key: TensorKey) -> str | None:
    entry = run.tensors.get(key)
    return None if entry is None else entry.operation


def _type_of(run: Run, key: TensorKey) -> str:
    entry = run.tensors.get(key)
    return "" if entry is None else entry.type


RULE = Rule(
    name="nan-origin",
    title="A value is NaN or infinite",
    severity=Severity.BUG,
    formula="in the first such step: the tensor that has it while its sources are finite; else of gradients; else the parameter. "
    "In an unrecorded step: the input; the tensor of a later step; an operation that can make one; a mean if all gradients are 0; the "
    "loss if they are finite. Without masks, values without consequences, or scaled gradients",
    source="exact; SageMaker Debugger (ExplodingTensor), torch.autograd.set_detect_anomaly, Hugging Face DebugUnderflowOverflow",
    needs="recorded steps; sentinels, to know what made it in a step that is not recorded",
    advice=advice_for("operands", has_sentinels=False),
    wrong_if=wrong_if_for("operands"),
    check=_check,
    neighbours=("before", "loss", "target"),
    explains=(
        Explains("diverging-loss"),
        Explains("loss-does-not-fall"),
        Explains("oscillating-loss"),
        Explains("never-updated"),
        Explains("dead-relu", "downstream"),
        Explains("predictions-ignore-input"),
        Explains("negative-loss"),
        # A large gradient makes a NaN in later steps only: that of the same step comes of what is not finite.
        Explains("exploding-gradient"),
    ),
    priority=1,
    while_training=0,
)
