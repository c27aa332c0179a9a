"""An exception ended the script, or the script caught one and went on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.rules.recurrent import RECURRENT
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_ENDED = re.compile(r"ended by ([\w.]+)(?::\s*(.*))?", re.DOTALL)
_RAISED_IN = re.compile(r", raised in `([^`]+)`$")
# These end a script on purpose.
_INTENDED = frozenset({"KeyboardInterrupt", "SystemExit", "GeneratorExit", "StopIteration"})
_LONGEST = 300
# A state that is handed to the next batch with its graph is the usual reason.
_SECOND_BACKWARD = "backward through the graph a second time"
_OF_TARGET = re.compile(r"\b[Tt]argets?\b")


def _check(run: Run) -> Iterator[Finding]:
    lines = [(note.text, note.step) for note in run.recording.notes]
    gaps = [*run.recording.gaps, *(gap for step in run.steps for gap in step.gaps)]
    lines += [(gap.reason, gap.step) for gap in gaps]
    seen = set()
    for text, step in lines:
        raised_in = _RAISED_IN.search(text)
        ended = _ENDED.search(text if raised_in is None else text[: raised_in.start()])
        if ended is None or ended[1].rpartition(".")[2] in _INTENDED or ended[0] in seen:
            continue
        seen.add(ended[0])
        reason = (ended[2] or "").strip()
        short = reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}..."
        # Backticks would end the code that the text stands in.
        ending = "" if step is None else f" in {step_in_words(step)}"
        raised = " ".join(f"{ended[1]}{': ' if short else ''}{short}".removesuffix(ending).replace("`", "'").split())
        module = _module_that_raised(run, step) if raised_in is None else raised_in[1]
        where = "" if module is None else f" in `{module}`"
        yield RULE.finding(
            f"The script ended with {ended[1]}{where}{': ' if short else '.'}{short}",
            *([Place("module", module)] if module is not None else _places_of_message(run, reason)),
            step=step,
            evidence=_evidence(run, step, module, f"Then came `{raised}`."),
        )
    yield from _caught(run)


def _places_of_message(run: Run, message: str) -> list[Place]:
    """The place that the message of an exception outside modules speaks of: the targets of a loss, or the layers that keep a state."""
    if _SECOND_BACKWARD in message:
        recurrent = [Place("module", module.name) for module in run.network.modules if module.type in RECURRENT]
        return recurrent or [Place("run")]
    losses = [call for step in run.steps[-1:] for call in step.losses]
    targets = [Place("tensor", *call.target) for call in losses if call.target is not None] if _OF_TARGET.search(message) else []
    return targets or [Place("run")]


class _Lost(NamedTuple):
    """A forward pass that an exception made useless.

    Attributes:
        place: The module that raised it; else the target of the loss function that did; else the last tensor that was computed before.
        who: What raised it, with the exception, in words.
    """

    place: Place
    who: str


def _caught(run: Run) -> Iterator[Finding]:
    """The exceptions after which training steps went on, and from whose forward passes no backward pass began."""
    training = np.flatnonzero(run.is_training).tolist()
    lost = {position: passes for position in training if (passes := list(_lost_in(run, position)))}
    if not lost:
        return
    first = next(iter(lost))
    every = Counter(each for passes in lost.values() for each in dict.fromkeys(passes))
    (most, _), *others = every.most_common()
    step = run.steps[first].step
    alike = list(dict.fromkeys(each.place.name for each, _ in others if each.place.name != most.place.name))
    more = f" So did {names_of(alike)}." if alike else ""
    yield RULE.finding(
        f"{most.who} in {len(lost)} of {len(training)} recorded training steps, and the script went on.{more} "
        "The network learns nothing from such batches.",
        most.place,
        *(_first_with(name, others) for name in alike),
        step=step,
        severity=Severity.PROBLEM,
        evidence=_evidence(run, step, most.place.name, ""),
    )


def _first_with(name: str, lost: Sequence[tuple[_Lost, int]]) -> Place:
    return next(each.place for each, _ in lost if each.place.name == name)


def _lost_in(run: Run, position: int) -> Iterator[_Lost]:
    step = run.steps[position]
    # After the exception that ends a script, there is neither an update nor another forward pass.
    has_updated = step.parameters is not None and any(update > 0 for update in step.parameters.update_norm)
    used = None
    for iteration in range(len(step.structures) - (not has_updated)):
        raised = [each for each in step.exceptions if each.iteration == iteration]
        module = _innermost(run, step.calls[iteration], True) if step.calls else None
        if module is not None:
            # What the network caught itself came first.
            yield _Lost(Place("module", module), f"`{module}` raised {raised[-1].type if raised else 'an exception'}")
            continue
        outside = [each for each in raised if each.module is None]
        if outside and used is None:
            used = _iterations_of_roots(run, position)
        if outside and used and (iteration not in used or outside[-1].function == "backward"):
            last = _target_of(run, outside[-1].function) or _last_tensor(run, position, iteration)
            where = Place("run") if last is None else Place("tensor", *last)
            yield _Lost(where, f"Behind the network, `{outside[-1].function}` raised {outside[-1].type}")


def _iterations_of_roots(run: Run, position: int) -> set[int]:
    """The iterations from which backward passes of a step began."""
    graph = run.graph(position)
    roots = [TensorKey(*root) for root in run.steps[position].backward_roots]
    return {key.iteration for root in roots for key in (root, *graph.ancestors(root))}


@once_per_run
def _target_of(run: Run, function: str | None) -> TensorKey | None:
    """The target of a loss function, from the first of its calls that came to its end; None if there is none.

    What a loss function does not take is often a target that is no class, or of another shape or dtype.
    """
    calls = (call for step in run.steps for call in step.losses if call.function == function and call.target is not None)
    return next((TensorKey(*call.target) for call in calls if call.target is not None), None)


def _last_tensor(run: Run, position: int, iteration: int) -> TensorKey | None:
    """What was computed last in an iteration, as far as it is recorded."""
    depth = run.graph(position).depth
    tensors = (key.tensor for key in run.places(position) if key.group == FORWARD and key.tensor.iteration == iteration)
    return max(tensors, key=lambda tensor: depth.get(tensor, 0), default=None)


def _evidence(run: Run, number: float | None, module: str | None, after: str) -> tuple[Evidence, ...]:
    """What was recorded last, up to a step: what went into the module that raised, or else the last result."""
    until = np.arange(len(run.steps)) if number is None else np.flatnonzero(run.numbers <= number)
    if not len(until):
        return ()
    position = int(until[-1])
    step = as_step(run.numbers[position])
    tensors = [key.tensor for key in run.places(position) if key.group == FORWARD]
    into = [tensor for tensor in tensors if module is not None and tensor.name.startswith(f"{module}: input")]
    if into:
        return (Evidence(FORWARD, *into[0], step, None, f"What went into `{module}` at {step_in_words(step)}. {after}".rstrip()),)
    depth = run.graph(position).depth
    last = max(tensors, key=lambda tensor: depth.get(tensor, 0), default=None)
    return (
        ()
        if last is None
        else (Evidence(FORWARD, *last, step, None, f"The last recorded result, of {step_in_words(step)}. {after}".rstrip()),)
    )


def _module_that_raised(run: Run, number: float | None) -> str | None:
    """The innermost module whose call ended with an exception, in a step."""
    names = (_innermost(run, digest, False) for step in run.steps if step.step == number for digest in step.calls)
    return next((name for name in names if name is not None), None)


@once_per_run
def _innermost(run: Run, digest: str | None, of_whole_network: bool) -> str | None:
    """The innermost module whose call ended with an exception, in an iteration; perhaps only if that ended all calls around it."""
    calls = () if digest is None else run.recording.calls(digest).calls
    # A call begins after the one around it, so the last of those that raised is the innermost.
    raised = [call for call in calls if call.raised]
    if not raised or (of_whole_network and not any(call.parent < 0 for call in raised)):
        return None
    return run.network.modules[raised[-1].module].name


RULE = Rule(
    name="exception-in-step",
    title="An exception ended the script, or was caught",
    severity=Severity.BUG,
    formula="a note or a gap says `ended by` and the name of an exception that does not end scripts on purpose; or an exception ended a "
    "call of the whole network in a training step that went on (a problem); or a function raised one after the network, and no backward "
    "pass began from that forward pass",
    source="exact",
    needs="nothing; calls of watched modules and graphs to see exceptions that the script catches",
    advice=("Read the traceback.", "Compare the shapes and values of what went into the module with those of the step before."),
    wrong_if="The exception is part of how the script works, such as one that ends its loop.",
    check=_check,
    neighbours=("prediction", "before", "input"),
    priority=0,
)
