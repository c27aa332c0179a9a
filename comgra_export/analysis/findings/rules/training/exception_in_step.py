"""An exception ended the script, or the script caught one that the network raised and went on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_ENDED = re.compile(r"ended by ([\w.]+)(?::\s*(.*))?", re.DOTALL)
_RAISED_IN = re.compile(r", raised in `([^`]+)`$")
# These end a script on purpose.
_INTENDED = frozenset({"KeyboardInterrupt", "SystemExit", "GeneratorExit", "StopIteration"})
_LONGEST = 300


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
            Place("run") if module is None else Place("module", module),
            step=step,
            evidence=_evidence(run, step, module, f"Then came `{raised}`."),
        )
    yield from _caught(run)


def _caught(run: Run) -> Iterator[Finding]:
    """The module that ended calls of the whole network with exceptions in training steps that went on."""
    training = [step for position, step in enumerate(run.steps) if run.is_training[position]]
    modules: Counter[str] = Counter()
    steps = []
    for step in training:
        # After the exception that ends a script, there is no update.
        has_updated = step.parameters is not None and any(update > 0 for update in step.parameters.update_norm)
        raised = {name for digest in step.calls if (name := _innermost(run, digest, True)) is not None}
        if has_updated and raised:
            modules.update(raised)
            steps.append(step.step)
    if not steps:
        return
    (module, _), *others = modules.most_common()
    yield RULE.finding(
        f"{names_of([module, *(name for name, _ in others)])} raised an exception in {len(steps)} of {len(training)} recorded training "
        "steps, and the script went on. "
        "The network learns nothing from such batches.",
        *(Place("module", name) for name in (module, *(name for name, _ in others))),
        step=steps[0],
        severity=Severity.PROBLEM,
        evidence=_evidence(run, steps[0], module, ""),
    )


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
    "call of the whole network in a training step that then updated parameters (a problem)",
    source="exact",
    needs="nothing; calls of watched modules to see exceptions that the script catches",
    advice=("Read the traceback.", "Compare the shapes and values of what went into the module with those of the step before."),
    wrong_if="The exception is part of how the script works, such as one that ends its loop.",
    check=_check,
    priority=0,
)
